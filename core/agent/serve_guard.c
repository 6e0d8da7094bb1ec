// SPDX-License-Identifier: BSD-2-Clause
#include "agent/serve_guard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

#define TOKEN_BYTES 1024

bool address_parse(const char *address, bool *loopback)
{
	struct in_addr four;
	struct in6_addr six;

	if (inet_pton(AF_INET, address, &four) == 1) {
		*loopback = ntohl(four.s_addr) >> 24 == 127;
		return true;
	}
	if (inet_pton(AF_INET6, address, &six) != 1)
		return false;
	*loopback = IN6_IS_ADDR_LOOPBACK(&six) ||
		    (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
	return true;
}

/* ---- the token */

static int read_token(struct serve_guard *g, const char *path)
{
	char text[TOKEN_BYTES + 1];
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int err = fd < 0 || fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	ssize_t n = err ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		err = -EIO;
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	if (err) {
		log_error("%s: the token cannot be read: %s", path,
			  err == -EINVAL ? "no regular file" : strerror(-err));
		return err;
	}
	if (!*text || strlen(text) == TOKEN_BYTES) {
		log_error("%s: its first line must be a token of 1 to %d bytes", path,
			  TOKEN_BYTES - 1);
		return -EINVAL;
	}
	if (st.st_mode & 007)
		log_warn(
			"%s: other users of this host may read or change the token; chmod 600 keeps them out",
			path);
	g->token = strdup(text);
	return g->token ? 0 : -ENOMEM;
}

int serve_guard_init(struct serve_guard *g, const char *address, const char *token_file)
{
	*g = (struct serve_guard){ 0 };
	address_parse(address, &g->loopback);
	return token_file ? read_token(g, token_file) : 0;
}

void serve_guard_free(struct serve_guard *g)
{
	free(g->token);
	*g = (struct serve_guard){ 0 };
}

/* Takes as long wherever they differ. */
static bool same_secret(const char *a, const char *b)
{
	const size_t n = strlen(a), m = strlen(b);
	unsigned differs = n != m;

	for (size_t i = 0; i < m; i++)
		differs |= (unsigned char)(a[i < n ? i : 0] ^ b[i]);
	return !differs;
}

static bool has_token(const struct serve_guard *g, const struct serve_asked *a)
{
	static const char bearer[] = "Bearer ";
	const size_t n = sizeof(bearer) - 1;

	if (!g->token)
		return true;
	if (a->authorization && !strncasecmp(a->authorization, bearer, n))
		return same_secret(g->token,
				   a->authorization + n + strspn(a->authorization + n, " "));
	return a->password && same_secret(g->token, a->password);
}

/* ---- browsers */

/* "127.0.0.1:4041", "[::1]", "localhost:4041". */
static bool host_is_loopback(const char *host)
{
	const bool six = *host == '[';
	const char *text = host + six;
	const size_t n = strcspn(text, six ? "]" : ":");
	const char *rest = text + n;
	bool loopback = false;
	char name[64];

	if (n >= sizeof(name) || (six && *rest++ != ']') || (*rest && *rest++ != ':') ||
	    rest[strspn(rest, "0123456789")])
		return false;
	memcpy(name, text, n);
	name[n] = '\0';
	return !strcasecmp(name, "localhost") || (address_parse(name, &loopback) && loopback);
}

const char *serve_guard_refuses(const struct serve_guard *g, const struct serve_asked *a,
				unsigned *status)
{
	static const char scheme[] = "http://";
	const size_t n = sizeof(scheme) - 1;

	*status = 403;
	if (!a->host) {
		*status = 400;
		return "a request names its host";
	}
	if (g->loopback && !host_is_loopback(a->host)) {
		*status = 421;
		return "the host is localhost or an address of it: 127.0.0.1";
	}
	if (a->fetch_site && strcmp(a->fetch_site, "same-origin") != 0 &&
	    strcmp(a->fetch_site, "none") != 0)
		return "pages of other sites are not answered";
	if (a->origin &&
	    (strncmp(a->origin, scheme, n) != 0 || strcasecmp(a->origin + n, a->host) != 0))
		return "pages of other sites are not answered";
	if (has_token(g, a))
		return NULL;
	*status = 401;
	return "send the token as `Authorization: Bearer TOKEN`, or as the password";
}
