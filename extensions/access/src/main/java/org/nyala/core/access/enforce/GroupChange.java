package org.nyala.core.access.enforce;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;

/**
 * A change of an entry, as far as it may change who is in a group.
 *
 * <p>Immutable.
 *
 * @param kind the kind of the change
 * @param name the hash of the entry's name before it
 * @param isOfNamedGroup true if access rules name the entry, or it moves from or to such a name
 * @param members the changes of attributes that list members
 * @param classes the object classes afterwards; null if they are as before
 */
record GroupChange(
    Kind kind,
    long name,
    boolean isOfNamedGroup,
    List<Members> members,
    @Nullable Classes classes) {
  /** The most values of a change that are looked at; of more, all clients are concerned. */
  private static final int MOST = 2048;

  private static final int BYTES = 96;

  enum Kind {
    /** The entry is new, or has other values. */
    CHANGED,
    /** The entry is no longer there. */
    GONE,
    /** The entry, and all below it, have other names. */
    MOVED
  }

  GroupChange {
    members = List.copyOf(members);
  }

  long bytes() {
    long bytes = BYTES;
    for (Members each : members) {
      bytes += BYTES + 8L * (each.added.length + each.removed.length);
    }
    return bytes;
  }

  /** A change of an attribute that lists members. Immutable. */
  static final class Members {
    private final AttributeType type;
    private final boolean replaces;
    private final boolean isUnknown;
    private final long[] added;
    private final long[] removed;

    private Members(
        AttributeType type, boolean replaces, long @Nullable [] added, long @Nullable [] removed) {
      this.type = type;
      this.replaces = replaces;
      this.isUnknown = added == null || removed == null;
      this.added = added == null ? new long[0] : added;
      this.removed = removed == null ? new long[0] : removed;
    }

    /** Returns the values that an attribute has from now on, whatever it had. */
    static Members of(Schema schema, NameHash hash, AttributeType type, List<byte[]> values) {
      return new Members(type, true, hashes(schema, hash, values), new long[0]);
    }

    static Members of(Schema schema, NameHash hash, AttributeChange change) {
      AttributeType type = change.description().type();
      return switch (change) {
        case AttributeChange.Replaced replaced -> of(schema, hash, type, replaced.values());
        case AttributeChange.Updated updated ->
            new Members(
                type,
                false,
                hashes(schema, hash, updated.added()),
                hashes(schema, hash, updated.removed()));
      };
    }

    /** Returns the hashes of names, sorted; null if they are not all known. */
    private static long @Nullable [] hashes(Schema schema, NameHash hash, List<byte[]> values) {
      if (values.size() > MOST) {
        return null;
      }
      long[] hashes = new long[values.size()];
      for (int i = 0; i < hashes.length; i++) {
        Long number = hash.of(schema, values.get(i));
        if (number == null) {
          return null;
        }
        hashes[i] = number;
      }
      Arrays.sort(hashes);
      return hashes;
    }

    AttributeType type() {
      return type;
    }

    /** Returns whether a name that was listed is listed afterwards, for sure. */
    boolean keeps(long name) {
      boolean isAdded = contains(added, name);
      return !isUnknown && (replaces ? isAdded : isAdded || !contains(removed, name));
    }

    /** Returns whether a name may be listed that was not. */
    boolean adds(long name) {
      return isUnknown || contains(added, name);
    }

    /** Returns whether one of some names may be listed. */
    boolean addsAnyOf(LongTable names) {
      return isUnknown || names.isAnyIn(added);
    }

    private static boolean contains(long[] sorted, long name) {
      return Arrays.binarySearch(sorted, name) >= 0;
    }
  }

  /**
   * The object classes of an entry.
   *
   * <p>Immutable.
   *
   * @param classes those that the schema knows
   * @param areKnown true if the schema knows all of them
   */
  record Classes(List<ObjectClass> classes, boolean areKnown) {
    Classes {
      classes = List.copyOf(classes);
    }

    static Classes of(Schema schema, List<byte[]> values) {
      List<ObjectClass> classes = new ArrayList<>(values.size());
      for (byte[] value : values) {
        ObjectClass known = schema.objectClass(new String(value, StandardCharsets.UTF_8));
        if (known != null) {
          classes.add(known);
        }
      }
      return new Classes(classes, classes.size() == values.size());
    }

    /** Returns whether a class is among them, for sure. */
    boolean include(ObjectClass wanted) {
      return classes.contains(wanted);
    }

    /** Returns whether an entry may be of a class. */
    boolean mayInclude(ObjectClass wanted) {
      return !areKnown || classes.stream().anyMatch(each -> each.isOrExtends(wanted));
    }
  }
}
