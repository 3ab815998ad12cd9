package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.search.AttributeSelection;

/**
 * Writes SearchResultEntry messages from stored entries (RFC 4511, section 4.5.2): what is stored
 * is what is sent, so that runs of selected attributes are copied as they are. Hot; allocates
 * nothing.
 */
final class EntryEncoder {
  private EntryEncoder() {}

  /** Appends the message; nothing is appended when it fails. */
  static void append(
      ByteBuf target,
      int messageId,
      EntryView entry,
      AttributeTable table,
      AttributeSelection selection,
      List<byte[]> computed) {
    int attributesLength =
        selection.typesOnly()
            ? typesLength(entry, table, selection, computed)
            : storedLength(entry, table, selection) + computedLength(computed);
    int dnLength = entry.dnLength();
    int entryLength = Ber.elementLength(dnLength) + Ber.elementLength(attributesLength);
    int idLength = 2 + Ber.integerLength(messageId);
    int messageLength = idLength + Ber.elementLength(entryLength);
    int total = Ber.elementLength(messageLength);
    target.ensureWritable(total);
    ByteBuffer out = target.internalNioBuffer(target.writerIndex(), total);
    int at = Ber.header(out, out.position(), LdapTags.SEQUENCE, messageLength);
    at = Ber.integer(out, at, LdapTags.INTEGER, messageId);
    at = Ber.header(out, at, LdapTags.SEARCH_RESULT_ENTRY, entryLength);
    at = Ber.header(out, at, LdapTags.OCTET_STRING, dnLength);
    at = dn(out, at, entry);
    at = Ber.header(out, at, LdapTags.SEQUENCE, attributesLength);
    if (selection.typesOnly()) {
      types(out, at, entry, table, selection, computed);
    } else {
      at = stored(out, at, entry, table, selection);
      computed(out, at, computed);
    }
    target.writerIndex(target.writerIndex() + total);
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

  private static int storedLength(
      EntryView entry, AttributeTable table, AttributeSelection selection) {
    int count = entry.attributeCount();
    int length = 0;
    for (int i = 0; i < count; i++) {
      if (selection.selects(table, entry.attributeId(i))) {
        length = Math.addExact(length, entry.attributeEnd(i) - entry.attributeStart(i));
      }
    }
    return length;
  }

  private static int stored(
      ByteBuffer out,
      int start,
      EntryView entry,
      AttributeTable table,
      AttributeSelection selection) {
    int count = entry.attributeCount();
    int at = start;
    int i = 0;
    while (i < count) {
      if (!selection.selects(table, entry.attributeId(i))) {
        i++;
        continue;
      }
      int from = entry.attributeStart(i++);
      while (i < count && selection.selects(table, entry.attributeId(i))) {
        i++;
      }
      int length = entry.attributeEnd(i - 1) - from;
      out.put(at, entry.buffer(), from, length);
      at += length;
    }
    return at;
  }

  private static int computedLength(List<byte[]> computed) {
    int length = 0;
    for (int i = 0; i < computed.size(); i++) {
      length = Math.addExact(length, computed.get(i).length);
    }
    return length;
  }

  private static void computed(ByteBuffer out, int start, List<byte[]> computed) {
    int at = start;
    for (int i = 0; i < computed.size(); i++) {
      byte[] attribute = computed.get(i);
      out.put(at, attribute);
      at += attribute.length;
    }
  }

  /* Types only: SEQUENCE { the stored description, SET {} }. */

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

  private static void types(
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

  /** Where the content of the element at {@code start} begins. */
  private static int contentStart(ByteBuffer source, int start) {
    int first = source.get(start + 1);
    return start + 2 + (first < 0 ? first & 0x7f : 0);
  }

  /** Length of the whole element at {@code start}. */
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
