package org.nyala.core.schema.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.Schema;

/**
 * The schema of the files together with the definitions that were added to it since.
 *
 * <p>Immutable.
 */
public final class ExtendedSchema {
  private static final String ADDED = "added definition ";

  /** A definition that is not in a file. */
  public static final class Addition {
    private final DefinitionKind kind;
    private final String oid;
    private final String text;

    private Addition(DefinitionKind kind, String oid, String text) {
      this.kind = kind;
      this.oid = oid;
      this.text = text;
    }

    public DefinitionKind kind() {
      return kind;
    }

    /** The numeric object identifier; of a DIT structure rule its number. */
    public String oid() {
      return oid;
    }

    /** The definition, in one line. */
    public String text() {
      return text;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Addition that && kind == that.kind && text.equals(that.text);
    }

    @Override
    public int hashCode() {
      return Objects.hash(kind, text);
    }
  }

  private final Schema base;
  private final List<Addition> additions;
  private final SchemaLinker.Linked linked;

  private ExtendedSchema(Schema base, List<Addition> additions, SchemaLinker.Linked linked) {
    this.base = base;
    this.additions = List.copyOf(additions);
    this.linked = linked;
  }

  /** A schema without additions. */
  public static ExtendedSchema of(Schema base) {
    return new ExtendedSchema(base, List.of(), new SchemaLinker.Linked(base, List.of(), List.of()));
  }

  /**
   * Links a schema with additions; a definition that the files by now contain too is taken from
   * them. Additions that contradict themselves count all the same: data may be stored by them.
   *
   * @throws InvalidSchemaException if a name is taken or a reference leads nowhere
   */
  public static ExtendedSchema of(Schema base, List<Addition> additions) {
    List<Addition> missing = new ArrayList<>();
    for (Addition addition : additions) {
      if (addition.kind().describe(base, addition.oid()) == null) {
        missing.add(addition);
      }
    }
    return missing.isEmpty()
        ? of(base)
        : new ExtendedSchema(base, missing, SchemaLoader.extend(base, missing));
  }

  /**
   * Returns the same schema with other additions.
   *
   * @throws InvalidSchemaException if a name is taken, a reference leads nowhere, or a definition
   *     contradicts itself or another one as none does by now
   */
  public ExtendedSchema with(List<Addition> other) {
    ExtendedSchema next = of(base, other);
    for (String contradiction : next.linked.contradictions()) {
      if (!linked.contradictions().contains(contradiction)) {
        throw new InvalidSchemaException(contradiction);
      }
    }
    return next;
  }

  /**
   * Parses an addition; its references are resolved when it is linked.
   *
   * @throws InvalidSchemaException if it does not conform to RFC 4512, section 4.1, with the place
   */
  public static Addition parse(DefinitionKind kind, String text) {
    String line = text.replaceAll("\\s+", " ").strip();
    DefinitionParser parser = new DefinitionParser();
    kind.parse(parser, line, "definition");
    return new Addition(kind, parser.definitions().getFirst().oid(), line);
  }

  static void addTo(DefinitionParser parser, List<Addition> additions) {
    for (Addition addition : additions) {
      addition.kind().parse(parser, addition.text(), ADDED + addition.oid());
    }
  }

  /** The schema of the files. */
  public Schema base() {
    return base;
  }

  /** Returns the additions, in the order in which they were made. */
  public List<Addition> additions() {
    return additions;
  }

  /** Everything together. */
  public Schema schema() {
    return linked.schema();
  }
}
