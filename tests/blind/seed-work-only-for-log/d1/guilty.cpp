#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include <vector>

/* 0: quiet, 1: per series, 2: per slice. Set from the command line. */
int mri_debug_level = 0;

#define MRI_TRACE(level, ...)                      \
    do {                                           \
        if (mri_debug_level >= (level)) {          \
            fprintf(stderr, "mri: " __VA_ARGS__);  \
            fputc('\n', stderr);                   \
        }                                          \
    } while (0)

enum mri_err {
    MRI_OK = 0,
    MRI_E_EMPTY,
    MRI_E_SHAPE,
};

struct mri_slice {
    int width;
    int height;
    std::vector<float> pixels;
};

struct mri_bias_field {
    int width;
    int height;
    std::vector<float> gain;
};

struct mri_stats {
    float low;
    float high;
    double mean;
    double deviation;
};

static mri_stats mri_measure(const std::vector<float> &pixels)
{
    mri_stats s = {pixels[0], pixels[0], 0.0, 0.0};
    double sum = 0.0;
    for (float v : pixels) {
        s.low = v < s.low ? v : s.low;
        s.high = v > s.high ? v : s.high;
        sum += v;
    }
    s.mean = sum / (double)pixels.size();

    double squares = 0.0;
    for (float v : pixels)
        squares += (v - s.mean) * (v - s.mean);
    s.deviation = sqrt(squares / (double)pixels.size());
    return s;
}

/* Divides the coil's gain out of one slice, in place. */
mri_err mri_correct_bias(mri_slice *slice, const mri_bias_field &field)
{
    if (slice->pixels.empty())
        return MRI_E_EMPTY;
    if (slice->width != field.width || slice->height != field.height ||
        slice->pixels.size() != field.gain.size())
        return MRI_E_SHAPE;

    const mri_stats before = mri_measure(slice->pixels);

    for (size_t i = 0; i < slice->pixels.size(); ++i) {
        if (field.gain[i] > 0.0f)
            slice->pixels[i] /= field.gain[i];
    }

    const mri_stats after = mri_measure(slice->pixels);
    MRI_TRACE(2, "bias: [%g, %g] mean %g dev %g -> [%g, %g] mean %g dev %g",
              before.low, before.high, before.mean, before.deviation,
              after.low, after.high, after.mean, after.deviation);
    return MRI_OK;
}

/* Scales one slice to zero mean and unit deviation, in place. */
mri_err mri_standardize(mri_slice *slice)
{
    if (slice->pixels.empty())
        return MRI_E_EMPTY;

    const mri_stats s = mri_measure(slice->pixels);
    const double scale = s.deviation > 0.0 ? 1.0 / s.deviation : 1.0;
    for (float &v : slice->pixels)
        v = (float)((v - s.mean) * scale);

    MRI_TRACE(2, "standardize: mean %g dev %g", s.mean, s.deviation);
    return MRI_OK;
}

mri_err mri_prepare_series(std::vector<mri_slice> *series, const mri_bias_field &field)
{
    for (mri_slice &slice : *series) {
        mri_err err = mri_correct_bias(&slice, field);
        if (err == MRI_OK)
            err = mri_standardize(&slice);
        if (err != MRI_OK)
            return err;
    }
    MRI_TRACE(1, "prepared %zu slices", series->size());
    return MRI_OK;
}
