package org.nyala.core.operation.update;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.RequestControl;
import org.nyala.core.operation.RecordingSink;

/** The controls by which updates return entries (RFC 4527) and depend on them (RFC 4528). */
final class ReadEntryControls {
  private ReadEntryControls() {}

  /** Returns a control that asks for attributes of the entry before or after an update. */
  static RequestControl read(ControlType type, String... attributes) {
    BerWriter names = new BerWriter();
    for (String attribute : attributes) {
      names.text(attribute);
    }
    return new RequestControl(type.oid(), true, new BerWriter().sequence(names).toByteArray());
  }

  /** Returns an assertion that an attribute has a value. */
  static RequestControl assertion(String attribute, String value) {
    BerWriter pair = new BerWriter().text(attribute).text(value);
    byte[] filter = new BerWriter().constructed(0xa3, pair).toByteArray();
    return new RequestControl(ControlType.ASSERTION.oid(), true, filter);
  }

  /** Returns the entry in a read entry control, with its name under "dn". */
  static Map<String, List<String>> entry(RecordingSink sink, String oid)
      throws InvalidBerException {
    List<byte[]> values = sink.controlValues(oid);
    assertThat(values).hasSize(1);
    BerReader entry = BerReader.trusted(values.getFirst()).content(0x64);
    Map<String, List<String>> attributes = new TreeMap<>();
    attributes.put("dn", List.of(new String(entry.octets(), UTF_8)));
    BerReader list = entry.sequence();
    while (list.hasNext()) {
      BerReader attribute = list.sequence();
      String name = new String(attribute.octets(), UTF_8);
      BerReader set = attribute.content(BerReader.SET);
      List<String> texts = new ArrayList<>();
      while (set.hasNext()) {
        texts.add(new String(set.octets(), UTF_8));
      }
      attributes.put(name, texts);
    }
    return attributes;
  }
}
