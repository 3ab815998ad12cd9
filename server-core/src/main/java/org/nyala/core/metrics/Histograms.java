package org.nyala.core.metrics;

import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Histograms of one thread, each of which is made when it is needed first.
 *
 * <p>One thread writes, any thread reads.
 */
final class Histograms {
  private final AtomicReferenceArray<@Nullable LatencyHistogram> places;

  Histograms(int size) {
    this.places = new AtomicReferenceArray<>(size);
  }

  /** Counts a duration. On the writing thread. */
  void record(int place, long nanos) {
    LatencyHistogram histogram = places.getPlain(place);
    if (histogram == null) {
      histogram = new LatencyHistogram();
      places.setRelease(place, histogram);
    }
    histogram.record(nanos);
  }

  /** Adds the histogram of a place to a list, if there is one. Any thread. */
  void addTo(List<LatencyHistogram> target, int place) {
    LatencyHistogram histogram = places.getAcquire(place);
    if (histogram != null) {
      target.add(histogram);
    }
  }
}
