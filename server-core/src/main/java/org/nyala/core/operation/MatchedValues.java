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
import org.nyala.core.control.ResponseControl;
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

  /** How many tests were made in all. */
  long tests() {
    return filter.tests();
  }

  /**
   * Sends an entry as far as its values match.
   *
   * @param transaction where large attributes are read; null for an entry that no store holds
   * @param computed attributes that no store holds, which are filtered too
   * @param responses controls that go with the entry
   * @throws LdapOperationException adminLimitExceeded when more matches than may be copied, busy
   *     when others copy too much at the moment
   */
  void send(
      ResponseSink sink,
      @Nullable ReadTransaction transaction,
      EntryView view,
      AttributeTable table,
      AttributeSelection selection,
      List<byte[]> computed,
      List<ResponseControl> responses)
      throws LdapOperationException {
    try (CopiedValues copied = new CopiedValues(directory.copied())) {
      List<byte[]> shown = new ArrayList<>();
      for (int i = 0; i < view.attributeCount(); i++) {
        int attributeId = view.attributeId(i);
        if (selection.selects(table, attributeId)) {
          AttributeDescription attribute = table.description(attributeId);
          copy(attribute, transaction, view, i, copied);
          add(attribute, copied, shown);
        }
      }
      for (byte[] each : computed) {
        addComputed(each, copied, shown);
      }
      sink.entry(view, table, nothing, shown, responses);
    }
  }

  private void copy(
      AttributeDescription attribute,
      @Nullable ReadTransaction transaction,
      EntryView view,
      int index,
      CopiedValues copied)
      throws LdapOperationException {
    boolean mayBeLarge = transaction != null && (view.flags() & EntryRecord.LARGE) != 0;
    LargeValues large =
        mayBeLarge && transaction != null ? transaction.largeValues(view, index) : null;
    if (large == null) {
      copy(attribute, values.open(view, index), copied);
      return;
    }
    large.rewind();
    while (large.next()) {
      byte[] value = large.value();
      if (filter.matches(attribute, value)) {
        copied.add(value);
      }
    }
  }

  private void copy(AttributeDescription attribute, ValueCursor cursor, CopiedValues copied)
      throws LdapOperationException {
    while (cursor.next()) {
      byte[] value = cursor.value();
      if (filter.matches(attribute, value)) {
        copied.add(value);
      }
    }
  }

  private void addComputed(byte[] encoded, CopiedValues copied, List<byte[]> shown)
      throws LdapOperationException {
    AttributeDescription attribute = description(encoded);
    if (attribute != null) {
      ByteBuffer buffer = ByteBuffer.wrap(encoded);
      copy(attribute, values.open(buffer, 0, encoded.length), copied);
      add(attribute, copied, shown);
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

  private static void add(AttributeDescription attribute, CopiedValues copied, List<byte[]> shown) {
    if (!copied.isEmpty()) {
      shown.add(copied.attribute(attribute.nameBytes()));
    }
  }
}
