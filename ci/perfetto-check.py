#!/usr/bin/env python3
"""Compares Perfetto traces with the lists of calls beside them (NAME.pftrace, NAME.csv).

Read with Perfetto's published definitions, not with ours: every field must be
one that they know, slices must nest, arrows must lead from one track to another.
"""
import csv
import sys
from bisect import bisect_left, bisect_right

from google.protobuf import unknown_fields
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

STATES = 'states'  # the name of a track of a goroutine's states: its slices are no calls
IN_CALLS = 'goroutines in calls'
DELTA_CLOCK, MONOTONIC = 64, pb.BUILTIN_CLOCK_MONOTONIC


def must(what, cond):
    if not cond:
        raise AssertionError(what)


def no_unknown(msg):
    must(f'unknown fields in {msg.DESCRIPTOR.name}', len(unknown_fields.UnknownFieldSet(msg)) == 0)
    for field, value in msg.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for m in value if hasattr(value, 'add') else [value]:
                no_unknown(m)


class Reading:
    def __init__(self, path):
        self.tracks, self.names, self.events = {}, {}, []
        self.clock = None
        trace = pb.Trace()
        with open(path, 'rb') as f:
            trace.ParseFromString(f.read())
        must('the first packet says that it is', trace.packet[0].first_packet_on_sequence)
        for p in trace.packet:
            no_unknown(p)
            self.take(p)
        self.events.sort(key=lambda e: e[0])  # stable: equal times stay in the order of the file

    def time(self, p):
        if p.timestamp_clock_id:
            must('a known clock', p.timestamp_clock_id == MONOTONIC)
            return p.timestamp
        must('state is there', self.clock is not None and p.sequence_flags == pb.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE)
        self.clock += p.timestamp
        return self.clock

    def take(self, p):
        if p.HasField('clock_snapshot'):
            must('state is cleared', p.sequence_flags == pb.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED)
            must('default clock', p.trace_packet_defaults.timestamp_clock_id == DELTA_CLOCK)
            clocks = {c.clock_id: c for c in p.clock_snapshot.clocks}
            must('a delta clock', clocks[DELTA_CLOCK].is_incremental)
            must('same moment', clocks[DELTA_CLOCK].timestamp == clocks[MONOTONIC].timestamp)
            self.clock = clocks[DELTA_CLOCK].timestamp
        if p.HasField('track_descriptor'):
            self.tracks[p.track_descriptor.uuid] = p.track_descriptor
        for n in p.interned_data.event_names:
            must('names are told once', n.iid and n.iid not in self.names)
            self.names[n.iid] = n.name
        if p.HasField('track_event'):
            self.events.append((self.time(p), p.track_event))


def count_in_calls(told, begun, ended):
    """Outermost calls that are open by the counter's account are those that are; of one moment before or after what happens then."""
    must('goroutines in calls are counted', bool(told) == bool(begun))
    must('none is in a call at the end', not told or sorted(told, key=lambda x: x[0])[-1][1] == 0)
    for ts, n in told:
        least = bisect_left(begun, ts) - bisect_right(ended, ts)
        most = bisect_right(begun, ts) - bisect_left(ended, ts)
        must(f'{n} goroutines in calls, not {least} to {most}', least <= n <= most)


def calls_of(path):
    r = Reading(path)
    stacks, calls, starts, ends = {}, [], {}, {}
    in_calls, begun, ended = [], [], []
    for ts, e in r.events:
        track = r.tracks[e.track_uuid]
        stack = stacks.setdefault(e.track_uuid, [])
        if e.type == pb.TrackEvent.TYPE_COUNTER:
            must('a counter track', track.HasField('counter'))
            if track.name == IN_CALLS:
                in_calls.append((ts, e.counter_value))
        elif e.type == pb.TrackEvent.TYPE_SLICE_END:
            must('an end has a begin', stack)
            start, name, below = stack.pop()
            if track.name == STATES:
                must('states do not nest', not stack)
                continue
            notes = {a.name: a for a in e.debug_annotations}
            dur = ts - start
            if stack:
                stack[-1][2] += dur
            elif not track.name.startswith('system'):
                begun.append(start)
                ended.append(ts)
            calls.append((track.name.split()[-1 if track.name.startswith('system') else 1], name, start, dur,
                          dur - below - notes['stopped_ns'].uint_value if 'stopped_ns' in notes else dur - below,
                          notes['outcome'].string_value if 'outcome' in notes else 'finished',
                          int('suspect' in notes), int(track.name.startswith('system'))))
        else:
            for flow in e.flow_ids:
                must('a go statement is an instant', e.type == pb.TrackEvent.TYPE_INSTANT)
                starts[flow] = (ts, e.track_uuid)
            for flow in e.terminating_flow_ids:
                ends[flow] = (ts, e.track_uuid)
            if e.type == pb.TrackEvent.TYPE_SLICE_BEGIN:
                stack.append([ts, r.names[e.name_iid], 0])
    must('all slices end', not any(stacks.values()))
    if '.thesis' not in path:  # there a call is told of when it is known not to have been stopped before it began
        count_in_calls(in_calls, sorted(begun), sorted(ended))
    for flow, (ts, uuid) in ends.items():
        must('an arrow begins before it ends', flow in starts and starts[flow][0] <= ts)
        must('an arrow leads to another track', starts[flow][1] != uuid)
    return calls, len(ends)


def calls_listed(path):
    with open(path, newline='') as f:
        return [(r['thread'] if r['system'] == '1' else r['goroutine'], r['function'], int(r['start_ns']),
                 int(r['duration_ns'] or 0), int(r['self_ns']), r['end'], int(r['suspect']), int(r['system']))
                for r in csv.DictReader(f)]


def relative(calls):
    first = min((c[2] for c in calls), default=0)
    return sorted((*c[:2], c[2] - first, *c[3:]) for c in calls)


def processor():
    """A function from a trace's path to its slices, as the real trace processor has them; None: not to be had."""
    try:
        from perfetto.trace_processor import TraceProcessor
        TraceProcessor(trace=sys.argv[1]).close()
    except Exception as e:  # whatever its download meets
        print(f'the trace processor is not to be had here: {str(e).splitlines()[-1][:150]}')
        return None

    def slices(path):
        tp = TraceProcessor(trace=path)
        rows = [(r.name, r.dur) for r in tp.query(
            'select slice.name as name, dur from slice join track on slice.track_id = track.id '
            f"where dur > 0 and coalesce(track.name, '') <> '{STATES}'")]
        bad = [(r.name, r.value) for r in tp.query(
            "select name, value from stats where value > 0 and severity in ('error', 'data_loss')")]
        tp.close()
        must(f'no errors in stats: {bad}', not bad)
        return sorted(rows)
    return slices


def main():
    tp = processor()
    passed = failed = total = arrows = 0
    for path in sys.argv[1:]:
        try:
            got, n_arrows = calls_of(path)
            want = calls_listed(path.replace('.pftrace', '.csv'))
            must(f'{len(got)} calls, listed {len(want)}', len(got) == len(want))
            for a, b in zip(relative(got), relative(want)):
                must(f'{a} is not {b}', a == b)
            if tp:
                must('the trace processor has other slices', tp(path) == sorted((c[1], c[3]) for c in want if c[3]))
            passed += 1
            total += len(got)
            arrows += n_arrows
        except AssertionError as e:
            print(f'{path}: {e}')
            failed += 1
    print(f'{total} calls and {arrows} arrows of go statements and wakes compared' + ('' if tp else ', without the trace processor'))
    print(f'{passed} passed, {failed} failed, {0 if tp else 1} skipped')
    return failed > 0


sys.exit(main())
