package org.nyala.netty.codec;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import org.nyala.core.ber.Ber;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Pace;

/**
 * Writes SearchResultEntry messages from stored entries (RFC 4511, section 4.5.2): the stored form
 * is the form that is sent, so that runs of selected attributes are copied without change. Hot;
 * allocates nothing but for values that are kept apart.
 */
public final class EntryEncoder {
  /** The checks for the end of an entry that is written at once: some 65,000 values apart. */
  private static final int LOOKS = 1024;

  private EntryEncoder() {}

  /**
   * Appends the message; nothing is appended if it fails, as for an entry that takes {@link
   * EntryParts}.
   *
   * @param controls the controls of the message, as {@link ControlEncoder} makes them
   */
  public static void append(
      ByteBuf target,
      int messageId,
      EntryView entry,
      AttributeTable table,
      AttributeSelection selection,
      List<byte[]> computed,
      byte[] controls) {
    long runs = selection.typesOnly() ? 0 : storedRuns(entry, table, selection);
    int attributesLength =
        selection.typesOnly()
            ? typesLength(entry, table, selection, computed)
            : Math.addExact((int) runs, computedLength(computed));
    int total = total(messageId, entry, attributesLength, controls.length);
    target.ensureWritable(total);
    ByteBuffer out = target.internalNioBuffer(target.writerIndex(), total);
    int at = head(out, out.position(), messageId, entry, attributesLength, controls.length);
    if (selection.typesOnly()) {
      at = types(out, at, entry, table, selection, computed);
    } else {
      at = stored(out, at, entry, table, selection, runs);
      at = computed(out, at, computed);
    }
    if (controls.length > 0) {
      out.put(at, controls);
    }
    target.writerIndex(target.writerIndex() + total);
  }

  /** Returns the length of a message in bytes. */
  static int total(int messageId, EntryView entry, int attributesLength, int controlsLength) {
    return Ber.elementLength(contentLength(messageId, entry, attributesLength, controlsLength));
  }

  private static int contentLength(
      int messageId, EntryView entry, int attributesLength, int controlsLength) {
    int entryLength = Ber.elementLength(entry.dnLength()) + Ber.elementLength(attributesLength);
    int idLength = 2 + Ber.integerLength(messageId);
    return Math.addExact(idLength + Ber.elementLength(entryLength), controlsLength);
  }

  /** Writes a message up to its attributes; returns the index of the first. */
  static int head(
      ByteBuffer out,
      int start,
      int messageId,
      EntryView entry,
      int attributesLength,
      int controlsLength) {
    int dnLength = entry.dnLength();
    int messageLength = contentLength(messageId, entry, attributesLength, controlsLength);
    int entryLength = Ber.elementLength(dnLength) + Ber.elementLength(attributesLength);
    int at = Ber.header(out, start, LdapTags.SEQUENCE, messageLength);
    at = Ber.integer(out, at, LdapTags.INTEGER, messageId);
    at = Ber.header(out, at, LdapTags.SEARCH_RESULT_ENTRY, entryLength);
    at = Ber.header(out, at, LdapTags.OCTET_STRING, dnLength);
    at = dn(out, at, entry);
    return Ber.header(out, at, LdapTags.SEQUENCE, attributesLength);
  }

  private static int dn(ByteBuffer out, int at, EntryView entry) {
    int rdnLength = entry.rdnLength();
    out.put(at, entry.buffer(), entry.rdnStart(), rdnLength);
    int next = at + rdnLength;
    byte[] parent = entry.parentDn();
    if (parent.length == 0) {
      return next;
    }
    out.put(next++, (byte) ',');
    out.put(next, parent);
    return next + parent.length;
  }

  /*
   * Attributes are visited once, by number: nearly always the selected ones are a single run, which
   * then is the whole content and is copied without a second visit.
   */

  /**
   * Returns the number of runs of selected attributes in the upper half, and their length in bytes
   * in the lower.
   */
  private static long storedRuns(
      EntryView entry, AttributeTable table, AttributeSelection selection) {
    boolean[] selected = selection.selected(table);
    int end = end(entry, selection);
    if (isLarge(entry)) {
      return LargeAttributes.length(entry, selected, end);
    }
    int runs = 0;
    int length = 0;
    int first = entry.indexOf(true, selected, 0, end);
    while (first < end) {
      int after = entry.indexOf(false, selected, first, end);
      length = Math.addExact(length, entry.attributeEnd(after - 1) - entry.attributeStart(first));
      runs++;
      first = entry.indexOf(true, selected, after, end);
    }
    return (long) runs << 32 | length;
  }

  private static boolean isLarge(EntryView entry) {
    return (entry.flags() & EntryRecord.LARGE) != 0;
  }

  static int end(EntryView entry, AttributeSelection selection) {
    return selection.isUserOnly() ? entry.userAttributeCount() : entry.attributeCount();
  }

  private static int stored(
      ByteBuffer out,
      int start,
      EntryView entry,
      AttributeTable table,
      AttributeSelection selection,
      long runs) {
    boolean[] selected = selection.selected(table);
    int end = end(entry, selection);
    if (isLarge(entry)) {
      LargeAttributes large = new LargeAttributes(0, selected, end);
      if (!large.write(out, start, entry, Pace.ofLooks(LOOKS))) {
        throw new IllegalStateException("an entry of so many values is sent in parts");
      }
      return start + large.at();
    }
    int first = entry.indexOf(true, selected, 0, end);
    if (runs >>> 32 == 1) {
      out.put(start, entry.buffer(), entry.attributeStart(first), (int) runs);
      return start + (int) runs;
    }
    int at = start;
    while (first < end) {
      int after = entry.indexOf(false, selected, first, end);
      int from = entry.attributeStart(first);
      int length = entry.attributeEnd(after - 1) - from;
      out.put(at, entry.buffer(), from, length);
      at += length;
      first = entry.indexOf(true, selected, after, end);
    }
    return at;
  }

  static int computedLength(List<byte[]> computed) {
    int length = 0;
    for (int i = 0; i < computed.size(); i++) {
      length = Math.addExact(length, computed.get(i).length);
    }
    return length;
  }

  static int computed(ByteBuffer out, int start, List<byte[]> computed) {
    int at = start;
    for (int i = 0; i < computed.size(); i++) {
      byte[] attribute = computed.get(i);
      out.put(at, attribute);
      at += attribute.length;
    }
    return at;
  }

  /* Returns the length with types only: SEQUENCE { the stored description, SET {} }. */

  private static int typesLength(
      EntryView entry, AttributeTable table, AttributeSelection selection, List<byte[]> computed) {
    ByteBuffer source = entry.buffer();
    int count = entry.attributeCount();
    int length = 0;
    for (int i = 0; i < count; i++) {
      if (selection.selects(table, entry.attributeId(i))) {
        length += typeLength(source, entry.attributeStart(i));
      }
    }
    for (int i = 0; i < computed.size(); i++) {
      length += typeLength(ByteBuffer.wrap(computed.get(i)), 0);
    }
    return length;
  }

  private static int types(
      ByteBuffer out,
      int start,
      EntryView entry,
      AttributeTable table,
      AttributeSelection selection,
      List<byte[]> computed) {
    int at = start;
    ByteBuffer source = entry.buffer();
    int count = entry.attributeCount();
    for (int i = 0; i < count; i++) {
      if (selection.selects(table, entry.attributeId(i))) {
        at = type(out, at, source, entry.attributeStart(i));
      }
    }
    for (int i = 0; i < computed.size(); i++) {
      at = type(out, at, ByteBuffer.wrap(computed.get(i)), 0);
    }
    return at;
  }

  private static int typeLength(ByteBuffer source, int attributeStart) {
    int description = contentStart(source, attributeStart);
    return Ber.elementLength(descriptionLength(source, description) + 2);
  }

  private static int type(ByteBuffer out, int start, ByteBuffer source, int attributeStart) {
    int description = contentStart(source, attributeStart);
    int length = descriptionLength(source, description);
    int at = Ber.header(out, start, LdapTags.SEQUENCE, length + 2);
    out.put(at, source, description, length);
    return Ber.header(out, at + length, LdapTags.SET, 0);
  }

  /** Returns the offset of the content of the element at {@code start}. */
  private static int contentStart(ByteBuffer source, int start) {
    int first = source.get(start + 1);
    return start + 2 + (first < 0 ? first & 0x7f : 0);
  }

  /** Returns the length of the whole element at {@code start}. */
  private static int descriptionLength(ByteBuffer source, int start) {
    int first = source.get(start + 1);
    if (first >= 0) {
      return 2 + first;
    }
    int octets = first & 0x7f;
    int length = 0;
    for (int i = 0; i < octets; i++) {
      length = length << 8 | source.get(start + 2 + i) & 0xff;
    }
    return 2 + octets + length;
  }
}
