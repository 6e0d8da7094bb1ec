// SPDX-License-Identifier: BSD-2-Clause
/* shop.go in C, for tracers of C. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

volatile int sink;

__attribute__((noinline)) int lookup(int key)
{
	sink += key;
	return key * 3;
}

__attribute__((noinline)) int render(const char *path, int n)
{
	return (int)strlen(path) + lookup(n);
}

__attribute__((noinline)) int handle(const char *path, int n)
{
	if (!strcmp(path, "/slow"))
		usleep(30000);
	if (n == 7)
		return -1;
	return render(path, n);
}

__attribute__((noinline)) void *tick(void *none)
{
	for (int i = 0; i < 50; i++) {
		lookup(1000 + i);
		usleep(1000);
	}
	return none;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, tick, NULL);
	for (int n = 0; n < 20; n++) {
		char path[32] = "/slow";

		if (n % 5)
			snprintf(path, sizeof(path), "/item/%d", n);
		handle(path, n);
		usleep(1000);
	}
	pthread_join(thread, NULL);
	return 0;
}
