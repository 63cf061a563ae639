#include <stddef.h>

#include "axis.h"

/* Moves all axes of the gantry; on the first error everything halts. */
int gantry_move(struct axis **axes, size_t n, const int32_t *targets)
{
	size_t i, k;
	int rc;

	for (i = 0; i < n; i++) {
		rc = axes[i]->ops->move_to(axes[i], targets[i]);
		if (rc != AXIS_OK) {
			for (k = 0; k < n; k++)
				axes[k]->ops->stop(axes[k]);
			return rc;
		}
	}
	return AXIS_OK;
}
