package org.nyala.extension;

import java.util.List;
import java.util.function.LongSupplier;
import org.nyala.core.dn.Dn;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * The directory as extensions know it, under one schema and one set of terms.
 *
 * <p>Thread-safe. What its methods return never changes; another directory takes its place if the
 * schema or the terms change.
 */
public interface Directory {
  /** Returns the schema. */
  Schema schema();

  /** Returns the names of the naming contexts, in the order of the configuration. */
  List<Dn> namingContexts();

  /** Returns whether entries of stores hold values of a type; those of others are computed. */
  boolean isStored(AttributeType type);

  /** Returns the limits of requests. */
  ServerLimits limits();

  /** Returns the clock of the server, in nanoseconds; its zero has no meaning. */
  LongSupplier nanoClock();
}
