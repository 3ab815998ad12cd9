package org.nyala.core.filter;

import org.nyala.core.ber.BerWriter;
import org.nyala.core.message.FilterNode;

/** Writes filters as clients do (RFC 4511, section 4.5.1). */
public final class FilterWriter {
  private FilterWriter() {}

  /** Encodes the whole element. */
  public static byte[] encode(FilterNode filter) {
    BerWriter out = new BerWriter();
    write(filter, out);
    return out.toByteArray();
  }

  private static void write(FilterNode filter, BerWriter out) {
    BerWriter content = new BerWriter();
    switch (filter) {
      case FilterNode.And and -> and.nodes().forEach(node -> write(node, content));
      case FilterNode.Or or -> or.nodes().forEach(node -> write(node, content));
      case FilterNode.Not not -> write(not.node(), content);
      case FilterNode.Equality item -> content.text(item.attribute()).octets(item.value());
      case FilterNode.GreaterOrEqual item -> content.text(item.attribute()).octets(item.value());
      case FilterNode.LessOrEqual item -> content.text(item.attribute()).octets(item.value());
      case FilterNode.Approximate item -> content.text(item.attribute()).octets(item.value());
      case FilterNode.Present item -> {
        out.text(0x87, item.attribute());
        return;
      }
      case FilterNode.Substrings item -> substrings(item, content);
      case FilterNode.Extensible item -> extensible(item, content);
    }
    out.constructed(tag(filter), content);
  }

  private static int tag(FilterNode filter) {
    return switch (filter) {
      case FilterNode.And _ -> 0xa0;
      case FilterNode.Or _ -> 0xa1;
      case FilterNode.Not _ -> 0xa2;
      case FilterNode.Equality _ -> 0xa3;
      case FilterNode.Substrings _ -> 0xa4;
      case FilterNode.GreaterOrEqual _ -> 0xa5;
      case FilterNode.LessOrEqual _ -> 0xa6;
      case FilterNode.Present _ -> 0x87;
      case FilterNode.Approximate _ -> 0xa8;
      case FilterNode.Extensible _ -> 0xa9;
    };
  }

  private static void substrings(FilterNode.Substrings item, BerWriter content) {
    BerWriter pieces = new BerWriter();
    if (item.initial() != null) {
      pieces.octets(0x80, item.initial());
    }
    item.any().forEach(piece -> pieces.octets(0x81, piece));
    if (item.last() != null) {
      pieces.octets(0x82, item.last());
    }
    content.text(item.attribute()).sequence(pieces);
  }

  private static void extensible(FilterNode.Extensible item, BerWriter content) {
    if (item.rule() != null) {
      content.text(0x81, item.rule());
    }
    if (item.attribute() != null) {
      content.text(0x82, item.attribute());
    }
    content.octets(0x83, item.value());
    if (item.dnAttributes()) {
      content.bool(0x84, true);
    }
  }
}
