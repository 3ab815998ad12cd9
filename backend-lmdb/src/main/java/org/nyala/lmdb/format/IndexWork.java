package org.nyala.lmdb.format;

import java.util.Locale;
import java.util.Set;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * What is left to do for one kind of index of one attribute type. It stands in the {@code meta}
 * database until it is done, so that it goes on after the process was killed.
 *
 * <p>Immutable.
 *
 * @param type the attribute type
 * @param kind the kind of index
 * @param phase what is done
 * @param doneId while building, the entry id up to which entries are indexed; else 0
 */
public record IndexWork(AttributeType type, IndexKind kind, Phase phase, long doneId) {
  /** What is done. */
  public enum Phase {
    /** Keys are added entry by entry; changes of entries keep all keys up to date meanwhile. */
    BUILDING,
    /** Keys are deleted; changes of entries no longer touch them. */
    DROPPING,
    /** Keys are deleted to be built again. */
    REBUILDING
  }

  /** The same work in another state. */
  public IndexWork with(Phase newPhase, long newDoneId) {
    return new IndexWork(type, kind, newPhase, newDoneId);
  }

  /** Whether this is work on the given kind of index of the type. */
  boolean isOn(AttributeType other, IndexKind otherKind) {
    return type.equals(other) && kind == otherKind;
  }

  /** What the work is called in {@code meta}. */
  String name() {
    return type.name() + '/' + kind.label();
  }

  /** What stands there: phase, entry id, and what the keys are built by. */
  String text() {
    return phase.name().toLowerCase(Locale.ROOT)
        + ','
        + doneId
        + ','
        + StoredIndexes.text(new IndexDefinition(type, Set.of(kind)));
  }

  /**
   * Reads work.
   *
   * @throws IllegalArgumentException when the schema does not suit it, or it is damaged
   */
  static IndexWork parse(Schema schema, String name, String text) {
    int slash = name.indexOf('/');
    String[] parts = text.split(",", 3);
    if (slash < 0 || parts.length < 3) {
      throw new IllegalArgumentException("index work " + name + " is damaged: " + text);
    }
    IndexDefinition definition = StoredIndexes.parse(schema, name.substring(0, slash), parts[2]);
    return new IndexWork(
        definition.type(),
        definition.kinds().iterator().next(),
        Phase.valueOf(parts[0].toUpperCase(Locale.ROOT)),
        Long.parseLong(parts[1]));
  }
}
