package org.nyala.core.operation;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.search.AttributeSelection;
import org.nyala.core.search.FilterNode;
import org.nyala.core.search.FilterReader;
import org.nyala.core.search.ValuesFilter;

/**
 * Shows only those values of entries that match the items of a control (RFC 3876); an attribute
 * that has none of them is left out.
 *
 * <p>Confined to one running operation. Slow: what is shown is encoded anew.
 */
final class MatchedValues {
  private final ValuesFilter filter;
  private final AttributeSelection nothing;
  private final Directory directory;
  private final ValueCursor values = new ValueCursor();

  private MatchedValues(Directory directory, ValuesFilter filter) {
    this.directory = directory;
    this.filter = filter;
    this.nothing =
        AttributeSelection.of(directory.schema(), List.of("1.1"), false, directory::isVisible);
  }

  /**
   * What the control of a search asks for; null where it has none, or wants no values anyway.
   *
   * @throws LdapOperationException protocolError when the value is not what it should be
   */
  static @Nullable MatchedValues read(
      Directory directory, Request.Search request, RequestControls controls)
      throws LdapOperationException {
    FilterReader reader = new FilterReader(directory.limits());
    List<FilterNode> items =
        controls.decode(ControlType.MATCHED_VALUES, value -> items(value, reader));
    return items == null || request.typesOnly()
        ? null
        : new MatchedValues(directory, directory.filters().compileValues(items));
  }

  private static List<FilterNode> items(BerReader value, FilterReader reader)
      throws InvalidBerException {
    BerReader in = value.sequence();
    List<FilterNode> items = new ArrayList<>();
    while (in.hasNext()) {
      FilterNode item = reader.readItem(in);
      if (item instanceof FilterNode.Extensible extensible && extensible.dnAttributes()) {
        throw new InvalidBerException("values are not part of names");
      }
      items.add(item);
    }
    return items;
  }

  /** Selects no stored attribute: what is shown is {@link #of} alone. */
  AttributeSelection nothing() {
    return nothing;
  }

  /** How many tests were made in all. */
  long tests() {
    return filter.tests();
  }

  /**
   * The attributes to show, each a whole BER {@code PartialAttribute}.
   *
   * @param transaction where large attributes are read; null for an entry that no store holds
   * @param computed attributes that no store holds, which are filtered too
   */
  List<byte[]> of(
      @Nullable ReadTransaction transaction,
      EntryView view,
      AttributeTable table,
      AttributeSelection selection,
      List<byte[]> computed) {
    List<byte[]> shown = new ArrayList<>();
    for (int i = 0; i < view.attributeCount(); i++) {
      int attributeId = view.attributeId(i);
      if (selection.selects(table, attributeId)) {
        AttributeDescription attribute = table.description(attributeId);
        add(attribute, matching(attribute, transaction, view, i), shown);
      }
    }
    for (byte[] each : computed) {
      addComputed(each, shown);
    }
    return shown;
  }

  private List<byte[]> matching(
      AttributeDescription attribute,
      @Nullable ReadTransaction transaction,
      EntryView view,
      int index) {
    boolean mayBeLarge = transaction != null && (view.flags() & EntryRecord.LARGE) != 0;
    LargeValues large =
        mayBeLarge && transaction != null ? transaction.largeValues(view, index) : null;
    if (large == null) {
      return matching(attribute, values.open(view, index));
    }
    List<byte[]> matching = new ArrayList<>();
    large.rewind();
    while (large.next()) {
      byte[] value = large.value();
      if (filter.matches(attribute, value)) {
        matching.add(value);
      }
    }
    return matching;
  }

  private List<byte[]> matching(AttributeDescription attribute, ValueCursor cursor) {
    List<byte[]> matching = new ArrayList<>();
    while (cursor.next()) {
      byte[] value = cursor.value();
      if (filter.matches(attribute, value)) {
        matching.add(value);
      }
    }
    return matching;
  }

  private void addComputed(byte[] encoded, List<byte[]> shown) {
    AttributeDescription attribute = description(encoded);
    if (attribute != null) {
      ByteBuffer buffer = ByteBuffer.wrap(encoded);
      add(attribute, matching(attribute, values.open(buffer, 0, encoded.length)), shown);
    }
  }

  private @Nullable AttributeDescription description(byte[] encoded) {
    try {
      String name = new BerReader(encoded).sequence().text();
      return AttributeDescription.parse(directory.schema(), name);
    } catch (InvalidBerException e) {
      throw new IllegalStateException("a computed attribute is not one", e);
    }
  }

  private static void add(
      AttributeDescription attribute, List<byte[]> matching, List<byte[]> shown) {
    if (!matching.isEmpty()) {
      shown.add(PartialAttributes.encode(attribute.nameBytes(), matching));
    }
  }
}
