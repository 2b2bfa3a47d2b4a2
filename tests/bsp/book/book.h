/* Programs in the manner of the textbooks, each checked against its result computed in another way. All are collective.
 */
#ifndef TESTS_BSP_BOOK_H
#define TESTS_BSP_BOOK_H

#include <stddef.h>
#include <stdint.h>

void book_inner_product(void);
void book_prefix(void);
void book_sort(void);
void book_lu(void);
void book_fft(void);
void book_spmv(void);
void book_matching(void);

/* Memory that is there, or the end of the run. */
void *book_alloc(size_t count, size_t size);

/* The same pseudo-random number for the same argument on every process. */
uint64_t book_random(uint64_t x);

#endif
