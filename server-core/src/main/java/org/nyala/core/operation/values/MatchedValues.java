package org.nyala.core.operation.values;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.ReadServices;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryMark;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.entry.ValuePosition;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Compilation;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.ValuesFilter;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.FilterReader;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.ResponseSink;

/**
 * Shows only those values of entries that match the items of a control (RFC 3876); an attribute
 * that has none of them is left out.
 *
 * <p>Confined to one running operation. Slow: the values shown are encoded anew, in as many slices
 * as it takes.
 */
public final class MatchedValues {
  /** The cost of asking whether a client may see a value, in tests. */
  private static final int RIGHT_TESTS = 8;

  /** The limit of restarts on the values of one entry because it has changed. */
  private static final int MOST_RESTARTS = 32;

  private final ValuesFilter filter;
  private final AttributeSelection nothing;
  private final ReadServices reading;
  private final MemoryAccount memory;
  private final ValueCursor values = new ValueCursor();
  private final EntryMark mark = new EntryMark();
  private @Nullable Progress progress;
  private @Nullable ValueRights allowed;

  /** The values that a client may see. Confined to one running operation. */
  @FunctionalInterface
  public interface ValueRights {
    /** Returns whether the client may see a value of the entry at hand. */
    boolean maySee(AttributeDescription attribute, byte[] value);
  }

  /** The receiver of the attributes of an entry. Confined to one running operation. */
  @FunctionalInterface
  public interface Receiver {
    /**
     * Takes the attributes, each a whole BER {@code PartialAttribute}; their memory is given back
     * afterwards.
     */
    void take(List<byte[]> shown) throws LdapOperationException;
  }

  private MatchedValues(ReadServices reading, ValuesFilter filter, MemoryAccount memory) {
    this.memory = memory;
    this.reading = reading;
    this.filter = filter;
    this.nothing =
        AttributeSelection.of(reading.schema(), List.of("1.1"), false, reading::isVisible);
  }

  /** Shows all values, but for those that a client may not see. */
  public static MatchedValues ofAll(ReadServices reading, MemoryAccount memory) {
    return new MatchedValues(reading, ValuesFilter.all(), memory);
  }

  /** Leaves out values that a client may not see; null to leave out none. */
  public MatchedValues within(@Nullable ValueRights rights) {
    allowed = rights;
    return this;
  }

  /**
   * The items of a search's control; null if it has none, or wants no values anyway.
   *
   * @throws LdapOperationException protocolError if the value is malformed
   */
  public static @Nullable List<FilterNode> decode(
      ReadServices reading, Request.Search request, RequestControls controls)
      throws LdapOperationException {
    FilterReader reader = new FilterReader(reading.limits());
    List<FilterNode> items =
        controls.decode(ControlType.MATCHED_VALUES, value -> items(value, reader));
    return request.typesOnly() ? null : items;
  }

  /**
   * Compiles items as far as the slice goes.
   *
   * @param memory the account charged for copies
   * @return null if the slice ends before
   * @throws LdapOperationException adminLimitExceeded if an assertion is too long
   */
  public static @Nullable MatchedValues compile(
      ReadServices reading, List<FilterNode> items, Compilation compilation, MemoryAccount memory)
      throws LdapOperationException {
    try {
      ValuesFilter filter = reading.filters().compileValues(items, compilation);
      return filter == null ? null : new MatchedValues(reading, filter, memory);
    } catch (FilterLimitException e) {
      throw AssertionControl.refusal(e);
    }
  }

  private static List<FilterNode> items(BerReader value, FilterReader reader)
      throws InvalidBerException {
    return value.sequence().list(reader.most(), "items of matched values", in -> item(in, reader));
  }

  private static FilterNode item(BerReader in, FilterReader reader) throws InvalidBerException {
    FilterNode item = reader.readItem(in);
    if (item instanceof FilterNode.Extensible extensible && extensible.dnAttributes()) {
      throw new InvalidBerException("values are not part of names");
    }
    return item;
  }

  /** Returns the number of tests made. */
  public long tests() {
    return filter.tests();
  }

  /** Returns whether sending the entry shown by a view was begun; its computed values are known. */
  public boolean isBegun(EntryView view) {
    return progress != null && mark.isOf(view);
  }

  /**
   * Returns whether sending the entry shown by a view was begun and the entry has not changed
   * since.
   */
  public boolean isUnchanged(EntryView view) {
    return progress != null && mark.isSame(view);
  }

  /**
   * Sends an entry as far as its values match. If the entry has changed since the previous slice,
   * its values are tested again from the first one.
   *
   * @param computed attributes that no store holds, which are filtered too; ignored if {@link
   *     #isBegun}
   * @param responses controls that go with the entry
   * @return false if the slice ends before: another call goes on
   * @throws LdapOperationException adminLimitExceeded if more matches than may be copied, busy if
   *     there is no memory for it at the moment, or the entry changes all the time
   */
  public boolean send(
      ResponseSink sink,
      EntryView view,
      AttributeTable table,
      AttributeSelection selection,
      List<byte[]> computed,
      List<ResponseControl> responses,
      Pace pace)
      throws LdapOperationException {
    return pass(
        shown -> sink.entry(view, table, nothing, shown, responses),
        view,
        table,
        selection,
        computed,
        pace);
  }

  /**
   * Passes the attributes of an entry to a receiver as far as their values match; otherwise like
   * {@link #send}.
   */
  public boolean pass(
      Receiver receiver,
      EntryView view,
      AttributeTable table,
      AttributeSelection selection,
      List<byte[]> computed,
      Pace pace)
      throws LdapOperationException {
    Progress going = progress(view, computed);
    boolean isEnd = true;
    try {
      filter.begin(pace);
      isEnd = copyStored(going, view, table, selection) && copyComputed(going);
      if (isEnd) {
        receiver.take(going.shown);
      }
    } finally {
      if (isEnd) {
        ended();
      } else {
        mark.put(view);
      }
    }
    return isEnd;
  }

  /** Gives back the memory of an entry that was not completely sent. Idempotent. */
  public void ended() {
    Progress left = progress;
    if (left != null) {
      left.copied.close();
      progress = null;
      filter.restart();
    }
  }

  /** The progress of an entry. */
  private static final class Progress {
    final List<byte[]> shown = new ArrayList<>();
    final List<byte[]> computed;
    final TransformedValues copied;
    int restarts;
    int index;
    @Nullable ValuePosition position;
    int computedIndex;
    int computedValue;

    Progress(List<byte[]> computed, TransformedValues copied) {
      this.computed = computed;
      this.copied = copied;
    }
  }

  private Progress progress(EntryView view, List<byte[]> computed) throws LdapOperationException {
    Progress known = progress;
    if (known != null && mark.isSame(view)) {
      return known;
    }
    boolean isChanged = isBegun(view);
    int restarts = isChanged && known != null ? known.restarts + 1 : 0;
    List<byte[]> values = isChanged && known != null ? known.computed : computed;
    ended();
    if (restarts > MOST_RESTARTS) {
      throw new LdapOperationException(
          ResultCode.BUSY, "the entry changes more often than its values can be matched");
    }
    Progress begun = new Progress(values, new TransformedValues(memory));
    begun.restarts = restarts;
    progress = begun;
    return begun;
  }

  private boolean copyStored(
      Progress going, EntryView view, AttributeTable table, AttributeSelection selection)
      throws LdapOperationException {
    while (going.index < view.attributeCount()) {
      int attributeId = view.attributeId(going.index);
      if (selection.selects(table, attributeId)) {
        AttributeDescription attribute = table.description(attributeId);
        if (!copy(going, attribute, view)) {
          return false;
        }
        add(attribute, going);
      }
      going.index++;
      going.position = null;
    }
    return true;
  }

  private boolean copy(Progress going, AttributeDescription attribute, EntryView view)
      throws LdapOperationException {
    ValuesFilter.OfAttribute wanted = filter.of(attribute);
    if (wanted == null) {
      return false;
    }
    ValuePosition from = going.position;
    if (from == null) {
      values.open(view, going.index);
    } else {
      values.open(view, going.index, from);
    }
    boolean isThere = values.next();
    while (isThere) {
      byte[] value = values.value();
      Boolean matches = filter.matches(wanted, value);
      if (matches != null) {
        if (matches && maySee(attribute, value)) {
          going.copied.add(value);
        }
        isThere = values.next();
      }
      if (matches == null || isThere && !filter.goesOn()) {
        going.position = values.position(view);
        return false;
      }
    }
    return true;
  }

  private boolean maySee(AttributeDescription attribute, byte[] value) {
    ValueRights rights = allowed;
    if (rights == null) {
      return true;
    }
    filter.charge(RIGHT_TESTS);
    return rights.maySee(attribute, value);
  }

  private boolean copyComputed(Progress going) throws LdapOperationException {
    while (going.computedIndex < going.computed.size()) {
      byte[] encoded = going.computed.get(going.computedIndex);
      AttributeDescription attribute = description(encoded);
      if (attribute != null) {
        ValuesFilter.OfAttribute wanted = filter.of(attribute);
        values.open(ByteBuffer.wrap(encoded), 0, encoded.length);
        if (wanted == null || !copyComputed(going, attribute, wanted)) {
          return false;
        }
        add(attribute, going);
      }
      going.computedIndex++;
      going.computedValue = 0;
    }
    return true;
  }

  private boolean copyComputed(
      Progress going, AttributeDescription attribute, ValuesFilter.OfAttribute wanted)
      throws LdapOperationException {
    for (int i = 0; values.next(); i++) {
      if (i < going.computedValue) {
        continue;
      }
      byte[] value = values.value();
      Boolean matches = filter.matches(wanted, value);
      if (matches == null) {
        return false;
      }
      if (matches && maySee(attribute, value)) {
        going.copied.add(value);
      }
      going.computedValue++;
      if (!filter.goesOn()) {
        return false;
      }
    }
    return true;
  }

  private @Nullable AttributeDescription description(byte[] encoded) {
    try {
      String name = BerReader.trusted(encoded).sequence().text();
      return AttributeDescription.parse(reading.schema(), name);
    } catch (InvalidBerException e) {
      throw new IllegalStateException("a computed attribute is not one", e);
    }
  }

  private static void add(AttributeDescription attribute, Progress going) {
    if (!going.copied.isEmpty()) {
      going.shown.add(going.copied.attribute(attribute.nameBytes()));
    }
  }
}
