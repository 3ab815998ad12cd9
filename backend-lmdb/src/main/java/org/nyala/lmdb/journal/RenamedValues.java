package org.nyala.lmdb.journal;

import java.util.Arrays;
import java.util.List;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.dn.NamingValue;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * The values that a rename adds to an entry and takes from it because of its name.
 *
 * <p>Immutable.
 *
 * @param added the values of the new RDN
 * @param left the values of the old RDN that the new one has not
 * @param areDeleted true if the entry loses the latter
 */
record RenamedValues(List<NamingValue> added, List<NamingValue> left, boolean areDeleted) {

  /** Finds the values of a rename. */
  static RenamedValues of(ResolvedChange.Rename rename, Schema schema) {
    List<NamingValue> added = values(schema, rename.newDn());
    List<NamingValue> left =
        values(schema, rename.dn()).stream().filter(value -> !has(added, value)).toList();
    boolean areDeleted =
        left.stream().anyMatch(value -> rename.changes().stream().anyMatch(c -> takes(c, value)));
    return new RenamedValues(added, left, areDeleted);
  }

  private static List<NamingValue> values(Schema schema, Dn dn) {
    try {
      return DnParser.namingValues(schema, dn.rdn(0));
    } catch (InvalidDnException e) {
      throw new IllegalStateException(dn + " is the name of an entry", e);
    }
  }

  private static boolean has(List<NamingValue> values, NamingValue wanted) {
    return values.stream()
        .anyMatch(
            each ->
                each.type().equals(wanted.type())
                    && isSame(each.type(), each.value(), wanted.value()));
  }

  private static boolean takes(AttributeChange change, NamingValue value) {
    if (!change.description().equals(AttributeDescription.of(value.type()))) {
      return false;
    }
    return switch (change) {
      case AttributeChange.Replaced replaced ->
          replaced.values().stream().noneMatch(now -> isSame(value.type(), now, value.value()));
      case AttributeChange.Updated updated ->
          updated.removed().stream().anyMatch(gone -> isSame(value.type(), gone, value.value()));
    };
  }

  private static boolean isSame(AttributeType type, byte[] one, byte[] other) {
    MatchingRule equality = type.equality();
    if (equality != null) {
      ByteAppender first = new ByteAppender(one.length);
      ByteAppender second = new ByteAppender(other.length);
      if (equality.valueNormalizer().normalize(one, 0, one.length, first)
          && equality.valueNormalizer().normalize(other, 0, other.length, second)) {
        return first.contentEquals(second.array(), 0, second.length());
      }
    }
    return Arrays.equals(one, other);
  }

  /** Returns whether the values of the old RDN either all stay or all go. */
  boolean isUniform(List<AttributeChange> changes) {
    return left.stream()
        .allMatch(value -> changes.stream().anyMatch(c -> takes(c, value)) == areDeleted);
  }

  /**
   * Returns whether a change to an attribute does what the new name does by itself. A value that is
   * only written in another way does not.
   *
   * @param before the values that the attribute had, if it is replaced
   */
  boolean explains(AttributeChange change, List<byte[]> before) {
    return switch (change) {
      case AttributeChange.Updated(var description, var removed, var more) ->
          isOf(description, removed, areDeleted ? left : List.of())
              && isOf(description, more, added);
      case AttributeChange.Replaced(var description, var values) -> {
        List<byte[]> lost = before.stream().filter(value -> !contains(values, value)).toList();
        List<byte[]> more = values.stream().filter(value -> !contains(before, value)).toList();
        yield isOf(description, lost, areDeleted ? left : List.of())
            && isOf(description, more, added);
      }
    };
  }

  private static boolean contains(List<byte[]> values, byte[] wanted) {
    return values.stream().anyMatch(value -> Arrays.equals(value, wanted));
  }

  private static boolean isOf(
      AttributeDescription description, List<byte[]> values, List<NamingValue> named) {
    return values.stream()
        .allMatch(
            value ->
                description.options().isEmpty()
                    && has(named, new NamingValue(description.type(), value)));
  }
}
