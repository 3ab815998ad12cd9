package org.nyala.core.entry;

import java.nio.ByteBuffer;
import java.util.List;
import org.nyala.core.ber.Ber;
import org.nyala.core.bytes.ByteAppender;

/**
 * Builds {@link EntryRecord}s, one after the other, in the same memory.
 *
 * <p>Confined to one running operation. Use: {@link #begin}, attributes in any order, {@link
 * #finish}.
 */
public final class EntryRecordWriter {
  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;
  private static final int OCTET_STRING = 0x04;

  private final ByteAppender user = new ByteAppender(2048);
  private final ByteAppender hidden = new ByteAppender(256);
  private final ByteAppender operational = new ByteAppender(512);
  private final ByteAppender userDirectory = new ByteAppender(128);
  private final ByteAppender hiddenDirectory = new ByteAppender(16);
  private final ByteAppender operationalDirectory = new ByteAppender(64);
  private final ByteAppender openValues = new ByteAppender(512);
  private byte[] rdn = {};
  private long parentId;
  private int flags;

  /** Starts a record. */
  public EntryRecordWriter begin(long parentEntryId, byte[] rdnAsPresented, int entryFlags) {
    if (rdnAsPresented.length > 0xffff) {
      throw new IllegalArgumentException("RDN of " + rdnAsPresented.length + " bytes");
    }
    user.clear();
    hidden.clear();
    operational.clear();
    userDirectory.clear();
    hiddenDirectory.clear();
    operationalDirectory.clear();
    rdn = rdnAsPresented;
    parentId = parentEntryId;
    flags = entryFlags;
    return this;
  }

  /**
   * Adds an attribute.
   *
   * @param attributeId its number in the store's {@link AttributeTable}
   * @param name its description as sent to clients
   * @param isOperational true if it is returned only on request
   * @param isHidden true if access rules hide it from all clients
   * @param values the values, at least one
   */
  public EntryRecordWriter attribute(
      int attributeId, byte[] name, boolean isOperational, boolean isHidden, List<byte[]> values) {
    if (isOperational) {
      append(operational, operationalDirectory, attributeId, name, values);
    } else if (isHidden) {
      append(hidden, hiddenDirectory, attributeId, name, values);
    } else {
      append(user, userDirectory, attributeId, name, values);
    }
    return this;
  }

  private static void append(
      ByteAppender area,
      ByteAppender directory,
      int attributeId,
      byte[] name,
      List<byte[]> values) {
    int valuesLength = 0;
    for (byte[] value : values) {
      valuesLength = Math.addExact(valuesLength, Ber.elementLength(value.length));
    }
    int content = Math.addExact(Ber.elementLength(name.length), Ber.elementLength(valuesLength));
    Ber.header(area, SEQUENCE, content);
    Ber.header(area, OCTET_STRING, name.length);
    area.append(name);
    Ber.header(area, SET, valuesLength);
    for (byte[] value : values) {
      Ber.header(area, OCTET_STRING, value.length);
      area.append(value);
    }
    directory.appendShort(attributeId).appendInt(area.length());
  }

  /**
   * Adds an attribute that is encoded already.
   *
   * @param attributeId its number
   * @param source the buffer that holds the {@code PartialAttribute}
   * @param start its start index
   * @param end its end index, exclusive
   */
  public EntryRecordWriter copy(
      int attributeId,
      ByteBuffer source,
      int start,
      int end,
      boolean isOperational,
      boolean isHidden) {
    ByteAppender area = isOperational ? operational : isHidden ? hidden : user;
    ByteAppender directory =
        isOperational ? operationalDirectory : isHidden ? hiddenDirectory : userDirectory;
    area.append(source, start, end - start);
    directory.appendShort(attributeId).appendInt(area.length());
    return this;
  }

  /** Begins the next attribute's values; to be ended by {@link #endAttribute}. */
  public EntryRecordWriter beginAttribute() {
    openValues.clear();
    return this;
  }

  /** Appends a value to the attribute that was begun. */
  public EntryRecordWriter value(byte[] source, int offset, int length) {
    Ber.header(openValues, OCTET_STRING, length);
    openValues.append(source, offset, length);
    return this;
  }

  /** Adds the attribute that was begun; the parameters are those of {@link #attribute}. */
  public EntryRecordWriter endAttribute(
      int attributeId, byte[] name, boolean isOperational, boolean isHidden) {
    ByteAppender area = isOperational ? operational : isHidden ? hidden : user;
    ByteAppender directory =
        isOperational ? operationalDirectory : isHidden ? hiddenDirectory : userDirectory;
    int valuesLength = openValues.length();
    Ber.header(
        area,
        SEQUENCE,
        Math.addExact(Ber.elementLength(name.length), Ber.elementLength(valuesLength)));
    Ber.header(area, OCTET_STRING, name.length);
    area.append(name);
    Ber.header(area, SET, valuesLength);
    area.append(openValues.array(), 0, valuesLength);
    directory.appendShort(attributeId).appendInt(area.length());
    return this;
  }

  /** Writes the parent into the record that begins at {@code start}: it may be known late. */
  public static void putParentId(byte[] records, int start, long parentEntryId) {
    for (int i = 0; i < Long.BYTES; i++) {
      records[start + EntryRecord.PARENT_ID_AT + i] = (byte) (parentEntryId >>> 56 - 8 * i);
    }
  }

  /** Appends the whole record to {@code target}. */
  public void finish(ByteAppender target) {
    int userCount =
        (userDirectory.length() + hiddenDirectory.length()) / EntryRecord.DIRECTORY_ENTRY_LENGTH;
    int operationalCount = operationalDirectory.length() / EntryRecord.DIRECTORY_ENTRY_LENGTH;
    int areaLength = user.length() + hidden.length() + operational.length();
    target.append(EntryRecord.VERSION).append(flags);
    target.appendShort(userCount).appendShort(operationalCount).appendShort(rdn.length);
    target.appendLong(parentId).appendInt(areaLength);
    appendDirectory(userDirectory, 0, target);
    appendDirectory(hiddenDirectory, user.length(), target);
    appendDirectory(operationalDirectory, user.length() + hidden.length(), target);
    target.append(rdn);
    target.append(user.array(), 0, user.length());
    target.append(hidden.array(), 0, hidden.length());
    target.append(operational.array(), 0, operational.length());
  }

  private static void appendDirectory(ByteAppender directory, int shift, ByteAppender target) {
    byte[] bytes = directory.array();
    for (int at = 0; at < directory.length(); at += EntryRecord.DIRECTORY_ENTRY_LENGTH) {
      int end =
          (bytes[at + 2] & 0xff) << 24
              | (bytes[at + 3] & 0xff) << 16
              | (bytes[at + 4] & 0xff) << 8
              | bytes[at + 5] & 0xff;
      target.append(bytes, at, 2).appendInt(end + shift);
    }
  }
}
