#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TENSOR_MAX_RANK 8
#define TRY(expr)          \
    do {                   \
        int rc_ = (expr);  \
        if (rc_ != 0)      \
            return rc_;    \
    } while (0)

typedef struct tensor {
    void *data;
    int rank;
    int64_t shape[TENSOR_MAX_RANK];
    int64_t strides[TENSOR_MAX_RANK];
} tensor_t;

static int check_rank(int rank)
{
    return rank >= 0 && rank <= TENSOR_MAX_RANK ? 0 : -EINVAL;
}

static int check_permutation(const int *perm, int rank)
{
    unsigned seen = 0;

    for (int i = 0; i < rank; i++) {
        if (perm[i] < 0 || perm[i] >= rank || (seen & (1u << perm[i])))
            return -EINVAL;
        seen |= 1u << perm[i];
    }
    return 0;
}

/*
 * Makes `out` a view of `in` with permuted axes; `perm` may be NULL, which
 * reverses the axes. `out` may be `in`.
 */
int tensor_transpose(const tensor_t *in, const int *perm, tensor_t *out)
{
    const int *order = perm;
    tensor_t view;
    int reversed[TENSOR_MAX_RANK];

    TRY(check_rank(in->rank));
    if (perm == NULL) {
        for (int i = 0; i < in->rank; i++)
            reversed[i] = in->rank - 1 - i;
        order = reversed;
    } else {
        TRY(check_permutation(perm, in->rank));
    }

    memset(&view, 0, sizeof(view));
    view.data = in->data;
    view.rank = in->rank;
    for (int i = 0; i < in->rank; i++) {
        view.shape[i] = in->shape[order[i]];
        view.strides[i] = in->strides[order[i]];
    }
    *out = view;
    return 0;
}

int tensor_is_contiguous(const tensor_t *t, size_t itemsize)
{
    int64_t expected = (int64_t)itemsize;

    for (int i = t->rank - 1; i >= 0; i--) {
        if (t->shape[i] != 1 && t->strides[i] != expected)
            return 0;
        expected *= t->shape[i];
    }
    return 1;
}
