package org.nyala.lmdb.journal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.dn.NamingValue;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * Describes changes in the form of OpenLDAP's access log, as {@link ModificationRecord} keeps it.
 *
 * <p>An attribute that gets other values is replaced, unless it has many and few of them change:
 * then these alone are deleted and added. What a rename changes in naming attributes is left out,
 * and beside that it can have time stamps only: OpenLDAP's consumer does not normalize the
 * modifications of a rename, and fails for other attributes. A rename with more, which comes from
 * another server, is not kept, nor is one that writes the same name in another way.
 *
 * <p>Confined to the writer's thread.
 */
final class ModificationEncoder {
  /** The number of values up to which all are written. */
  private static final int FEW_VALUES = 8;

  private static final Set<String> STAMPS = Set.of("modifiersName", "modifyTimestamp", "entryCSN");

  private final Supplier<Schema> schema;
  private final ModificationRecord record;
  private final EntryView view = new EntryView();
  private final ValueCursor stored = new ValueCursor();

  /**
   * Creates an encoder.
   *
   * @param record the record that is written to
   */
  ModificationEncoder(Supplier<Schema> schema, ModificationRecord record) {
    this.schema = schema;
    this.record = record;
  }

  /**
   * Describes a change that is about to be made.
   *
   * @param before the store without it
   */
  void encode(ResolvedChange change, ReadTransaction before) {
    switch (change) {
      case ResolvedChange.Add add -> {
        record.begin(add.dn());
        add(add.entry());
      }
      case ResolvedChange.Modify modify -> {
        record.begin(modify.dn());
        modify.changes().forEach(each -> modify(each, modify.entryId(), before));
      }
      case ResolvedChange.Delete delete -> record.begin(delete.dn());
      case ResolvedChange.Rename rename -> rename(rename, before);
    }
  }

  private void add(Entry entry) {
    for (AttributeDescription description : entry.descriptions()) {
      List<byte[]> values = entry.values(description);
      if (values != null) {
        record.write(description, '+', values);
      }
    }
  }

  private void rename(ResolvedChange.Rename rename, ReadTransaction before) {
    RenamedValues named = RenamedValues.of(rename, schema.get());
    Dn above = rename.newDn().parent();
    boolean moves = !above.equals(rename.dn().parent());
    record.begin(rename.dn(), rename.newDn().rdn(0), named.areDeleted(), moves ? above : null);
    boolean isKept = named.isUniform(rename.changes());
    for (AttributeChange change : rename.changes()) {
      if (STAMPS.contains(change.description().name())) {
        modify(change, rename.entryId(), before);
      } else {
        isKept &= named.explains(change, stored(change.description(), rename.entryId(), before));
      }
    }
    if (!isKept) {
      record.abandon();
    }
  }

  /** Returns the values of an attribute before a change; none if they are kept apart. */
  private List<byte[]> stored(
      AttributeDescription description, long entryId, ReadTransaction before) {
    List<byte[]> values = new ArrayList<>();
    int index = before.read(entryId, view) ? index(description, before) : -1;
    if (index >= 0 && !view.isApart(index)) {
      stored.open(view, index);
      while (stored.next()) {
        values.add(stored.value());
      }
    }
    return values;
  }

  private void modify(AttributeChange change, long entryId, ReadTransaction before) {
    switch (change) {
      case AttributeChange.Updated(var description, var removed, var added) -> {
        if (!removed.isEmpty() && description.type().equality() == null) {
          // slapd deletes no single values without a rule.
          record.abandon();
          return;
        }
        record.write(description, '-', removed);
        record.write(description, '+', added);
      }
      case AttributeChange.Replaced(var description, var values) -> {
        boolean isLong = values.size() > FEW_VALUES && description.type().equality() != null;
        if (!isLong || !writeDifference(description, values, entryId, before)) {
          record.replace(description, values);
        }
      }
    }
  }

  /** Writes the values that change, if they are few; false if nothing was written. */
  private boolean writeDifference(
      AttributeDescription description, List<byte[]> values, long entryId, ReadTransaction before) {
    Set<ByteBuffer> added = LinkedHashSet.newLinkedHashSet(values.size());
    values.forEach(value -> added.add(ByteBuffer.wrap(value)));
    List<byte[]> removed = new ArrayList<>(stored(description, entryId, before));
    removed.removeIf(value -> added.remove(ByteBuffer.wrap(value)));
    if (added.size() + removed.size() > values.size() / 2) {
      return false;
    }
    record.write(description, '-', removed);
    record.write(description, '+', added.stream().map(ByteBuffer::array).toList());
    return true;
  }

  private int index(AttributeDescription description, ReadTransaction before) {
    int id = before.attributes().id(description);
    for (int i = 0; i < view.attributeCount(); i++) {
      if (view.attributeId(i) == id) {
        return i;
      }
    }
    return -1;
  }

  /**
   * The values that a rename adds to an entry and takes from it because of its name.
   *
   * <p>Immutable.
   *
   * @param added the values of the new RDN
   * @param left the values of the old RDN that the new one has not
   * @param areDeleted true if the entry loses the latter
   */
  private record RenamedValues(
      List<NamingValue> added, List<NamingValue> left, boolean areDeleted) {

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
     * Returns whether a change to an attribute does what the new name does by itself. A value that
     * is only written in another way does not.
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
}
