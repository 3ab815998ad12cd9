package org.nyala.core.entry;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A window on one stored entry ({@link EntryRecord}), moved from record to record without
 * allocating.
 *
 * <p>Confined to one running operation. The data it shows is borrowed from the store: it is valid
 * until the view is moved on or the read transaction that filled it is closed, and must never be
 * written to.
 */
public final class EntryView {
  private static final byte[] NO_PARENT = {};
  private static final LargeValues.Source NOTHING_APART = (_, _) -> null;

  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private byte[] parentDn = NO_PARENT;
  private long id;
  private int base;
  private int flags;
  private int userCount;
  private int count;
  private int rdnStart;
  private int rdnLength;
  private int areaStart;
  private int areaLength;
  private LargeValues.Source source = NOTHING_APART;

  /**
   * Moves the view to a record.
   *
   * @param entryId the entry's id
   * @param record the buffer that holds the record, big-endian
   * @param offset the index in the buffer at which the record begins
   * @param parentDn the parent's DN as presented; empty for an entry at the top of a naming context
   */
  public void wrap(long entryId, ByteBuffer record, int offset, byte[] parentDn) {
    this.buffer = record;
    this.parentDn = parentDn;
    this.id = entryId;
    this.base = offset;
    this.flags = record.get(offset + EntryRecord.FLAGS_AT);
    this.userCount = record.getShort(offset + EntryRecord.USER_COUNT_AT) & 0xffff;
    this.count = userCount + (record.getShort(offset + EntryRecord.OPERATIONAL_COUNT_AT) & 0xffff);
    this.rdnLength = record.getShort(offset + EntryRecord.RDN_LENGTH_AT) & 0xffff;
    this.rdnStart = offset + EntryRecord.HEADER_LENGTH + count * EntryRecord.DIRECTORY_ENTRY_LENGTH;
    this.areaStart = rdnStart + rdnLength;
    this.areaLength = record.getInt(offset + EntryRecord.AREA_LENGTH_AT);
  }

  /**
   * Sets the source of the values that the record lacks; to be called after {@link #wrap} when the
   * view is moved to a record with {@link EntryRecord#LARGE}.
   */
  public void largeSource(LargeValues.Source largeSource) {
    source = largeSource;
  }

  /**
   * The values of the attribute at {@code index} when they are kept apart from the record; else
   * null. Borrowed until the next call on the transaction.
   */
  public @Nullable LargeValues largeValues(int index) {
    return isApart(index) ? source.largeValues(this, index) : null;
  }

  /**
   * Returns whether the values of the attribute at {@code index} are kept apart from the record.
   */
  public boolean isApart(int index) {
    return (flags & EntryRecord.LARGE) != 0 && isEmpty(index);
  }

  /** Returns whether the attribute at {@code index} has no values in the record. */
  private boolean isEmpty(int index) {
    int description = contentStart(attributeStart(index));
    int first = buffer.get(description + 1);
    int nameStart = contentStart(description);
    int length = first < 0 ? 0 : first;
    for (int at = description + 2; at < nameStart; at++) {
      length = length << 8 | buffer.get(at) & 0xff;
    }
    return contentStart(nameStart + length) == attributeEnd(index);
  }

  /** Returns the index at which the content of the BER element at {@code start} begins. */
  private int contentStart(int start) {
    int first = buffer.get(start + 1);
    return start + 2 + (first < 0 ? first & 0x7f : 0);
  }

  public long id() {
    return id;
  }

  /** The parent's entry id; 0 at the top of a naming context. */
  public long parentId() {
    return buffer.getLong(base + EntryRecord.PARENT_ID_AT);
  }

  public int flags() {
    return flags;
  }

  /** The buffer that all positions of this view refer to. Borrowed. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns the number of user attributes; they are the first ones. */
  public int userAttributeCount() {
    return userCount;
  }

  /** Returns the number of attributes in the entry. */
  public int attributeCount() {
    return count;
  }

  /** The number of the attribute at {@code index} in the store's {@link AttributeTable}. */
  public int attributeId(int index) {
    return buffer.getShort(directoryAt(index)) & 0xffff;
  }

  /**
   * Returns the first index from {@code from} to {@code to} exclusive whose attribute is selected,
   * or is not; {@code to} if there is none.
   *
   * @param wanted true to look for one that is selected
   * @param selected the selection, by attribute number
   */
  public int indexOf(boolean wanted, boolean[] selected, int from, int to) {
    ByteBuffer source = buffer;
    int at = directoryAt(from);
    for (int i = from; i < to; i++) {
      if (selected[source.getShort(at) & 0xffff] == wanted) {
        return i;
      }
      at += EntryRecord.DIRECTORY_ENTRY_LENGTH;
    }
    return to;
  }

  /**
   * Returns the index in {@link #buffer()} at which the {@code PartialAttribute} at {@code index}
   * begins.
   */
  public int attributeStart(int index) {
    return index == 0 ? areaStart : areaStart + buffer.getInt(directoryAt(index - 1) + 2);
  }

  /**
   * Returns the index in {@link #buffer()} at which the {@code PartialAttribute} at {@code index}
   * ends, exclusive.
   */
  public int attributeEnd(int index) {
    return areaStart + buffer.getInt(directoryAt(index) + 2);
  }

  /** Returns the index in {@link #buffer()} at which the RDN begins. */
  public int rdnStart() {
    return rdnStart;
  }

  /** Length of the RDN in bytes. */
  public int rdnLength() {
    return rdnLength;
  }

  /**
   * The parent's DN as presented; empty if the RDN is the whole DN. Borrowed, never to be written
   * to.
   */
  public byte[] parentDn() {
    return parentDn;
  }

  /** Length in bytes of the DN as presented. */
  public int dnLength() {
    return parentDn.length == 0 ? rdnLength : rdnLength + 1 + parentDn.length;
  }

  /** Returns whether the DN is presented by these octets. */
  public boolean isPresentedAs(byte[] dn) {
    if (dn.length != dnLength()) {
      return false;
    }
    for (int i = 0; i < rdnLength; i++) {
      if (buffer.get(rdnStart + i) != dn[i]) {
        return false;
      }
    }
    int parentAt = rdnLength + 1;
    return parentDn.length == 0
        || dn[rdnLength] == ','
            && Arrays.equals(dn, parentAt, dn.length, parentDn, 0, parentDn.length);
  }

  /** A copy of the DN as presented. */
  public byte[] dn() {
    byte[] dn = new byte[dnLength()];
    buffer.get(rdnStart, dn, 0, rdnLength);
    if (parentDn.length > 0) {
      dn[rdnLength] = ',';
      System.arraycopy(parentDn, 0, dn, rdnLength + 1, parentDn.length);
    }
    return dn;
  }

  /** Returns the index in {@link #buffer()} at which the record begins. */
  public int recordStart() {
    return base;
  }

  /** Length of the whole record in bytes. */
  public int recordLength() {
    return areaStart + areaLength - base;
  }

  private int directoryAt(int index) {
    return base + EntryRecord.HEADER_LENGTH + index * EntryRecord.DIRECTORY_ENTRY_LENGTH;
  }
}
