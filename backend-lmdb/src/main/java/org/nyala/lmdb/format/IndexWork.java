package org.nyala.lmdb.format;

import java.util.Locale;
import java.util.Set;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * The remaining work on one kind of index of one attribute type. It is kept in the {@code meta}
 * database until it is done, so that it continues if the process is killed.
 *
 * <p>Immutable.
 *
 * @param type the attribute type
 * @param kind the kind of index
 * @param phase the current phase
 * @param doneId while building, the entry id up to which entries are indexed; otherwise 0
 */
public record IndexWork(AttributeType type, IndexKind kind, Phase phase, long doneId) {
  public enum Phase {
    /** Keys are added entry by entry; changes of entries keep all keys up to date meanwhile. */
    BUILDING,
    /** Keys are deleted; changes of entries no longer touch them. */
    DROPPING,
    /** Keys are deleted to be built again. */
    REBUILDING
  }

  /** Returns the same work in another state. */
  public IndexWork with(Phase newPhase, long newDoneId) {
    return new IndexWork(type, kind, newPhase, newDoneId);
  }

  /** Returns whether this is work on the given kind of index of the type. */
  boolean isOn(AttributeType other, IndexKind otherKind) {
    return type.equals(other) && kind == otherKind;
  }

  /** Returns the name of the work in {@code meta}. */
  String name() {
    return type.name() + '/' + kind.label();
  }

  /**
   * Returns the value of the work in {@code meta}: phase, entry id, and the rules and versions that
   * the keys are built by.
   */
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
   * @throws IllegalArgumentException if the schema does not suit it, or it is damaged
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
