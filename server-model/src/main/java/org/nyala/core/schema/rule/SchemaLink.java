package org.nyala.core.schema.rule;

import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.Schema;

/**
 * The schema that a matching rule belongs to, for the rules that compare names: set once, before
 * the schema is published.
 *
 * <p>Thread-safe after that by the safe publication of the schema.
 */
public final class SchemaLink implements Supplier<Schema> {
  private @Nullable Schema schema;

  public void bind(Schema linked) {
    schema = linked;
  }

  @Override
  public Schema get() {
    return Objects.requireNonNull(schema, "schema is not linked yet");
  }
}
