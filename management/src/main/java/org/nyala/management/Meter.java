package org.nyala.management;

import io.micrometer.core.instrument.Tags;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import javax.management.openmbean.SimpleType;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.lmdb.StoreStatus;

/**
 * A number that a server counts or measures, and its names where it is shown.
 *
 * <p>Immutable. Any thread may read it.
 *
 * @param isCounter true if the number only grows
 * @param value reads it
 * @param metric its name in Prometheus, if it has one
 * @param counter its place in the counters file, if it has one
 * @param statistic its entry in {@code cn=Monitor}, if it has one of its own
 * @param attribute its name in the bean of its group, if it has one
 */
record Meter(
    boolean isCounter,
    ToLongFunction<Reading> value,
    @Nullable Metric metric,
    @Nullable Counter counter,
    @Nullable Statistic statistic,
    @Nullable Attribute attribute) {
  /** The unit of metrics whose values are read in nanoseconds. */
  static final String SECONDS = "seconds";

  /** The unit of metrics whose values are read in billionths. */
  static final String RATIO = "ratio";

  private static final double BILLION = 1e9;

  /** Returns by what a value that was read is divided to have a unit. */
  static double divisor(@Nullable String unit) {
    return SECONDS.equals(unit) || RATIO.equals(unit) ? BILLION : 1;
  }

  /** Returns a ratio in billionths. */
  static long ratio(long part, long whole) {
    return (long) (BILLION * part / whole);
  }

  /** A metric in Prometheus, told from others of its name by its tags. */
  record Metric(String name, String description, Tags tags, @Nullable String unit) {}

  /** An entry of {@code cn=Monitor}, below the container of that name. */
  record Statistic(String container, String name, String description) {}

  /** An attribute of a bean. */
  record Attribute(
      String name, SimpleType<?> type, String description, ToLongFunction<Reading> value) {
    /** Reads it, as a value of its type. */
    Object of(Reading reading) {
      long number = value.applyAsLong(reading);
      if (type == SimpleType.BOOLEAN) {
        return number != 0;
      }
      return type == SimpleType.INTEGER ? (Object) (int) number : (Object) number;
    }
  }

  /** A server whose meters are read, and the status of its store at that moment. */
  record Reading(ServerComponents server, Supplier<StoreStatus> status) {
    ServerMetrics metrics() {
      return server.directory().metrics();
    }

    MemoryBudget memory() {
      return server.directory().memory();
    }

    StoreStatus store() {
      return status.get();
    }
  }

  static Meter counter(ToLongFunction<Reading> value) {
    return new Meter(true, value, null, null, null, null);
  }

  static Meter sum(Function<ServerMetrics, LongAdder> adder) {
    return counter(reading -> adder.apply(reading.metrics()).sum());
  }

  static Meter gauge(ToLongFunction<Reading> value) {
    return new Meter(false, value, null, null, null, null);
  }

  Meter metric(String name, String description) {
    return metric(name, description, Tags.empty(), null);
  }

  Meter metric(String name, String description, String unit) {
    return metric(name, description, Tags.empty(), unit);
  }

  Meter metric(String name, String description, Tags tags) {
    return metric(name, description, tags, null);
  }

  /** Shows it in Prometheus as {@code ldap.server} and a name. */
  Meter metric(String name, String description, Tags tags, @Nullable String unit) {
    Metric shown = new Metric("ldap.server." + name, description, tags, unit);
    return new Meter(isCounter, value, shown, counter, statistic, attribute);
  }

  Meter file(Counter place) {
    return new Meter(isCounter, value, metric, place, statistic, attribute);
  }

  Meter monitor(String container, String name, String description) {
    Statistic shown = new Statistic(container, name, description);
    return new Meter(isCounter, value, metric, counter, shown, attribute);
  }

  Meter bean(String name, String description) {
    return bean(name, SimpleType.LONG, description);
  }

  Meter bean(String name, SimpleType<?> type, String description) {
    Attribute shown = new Attribute(name, type, description, value);
    return new Meter(isCounter, value, metric, counter, statistic, shown);
  }
}
