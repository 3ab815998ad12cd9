package org.nyala.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;

/** The values of an attribute of an entry, as text. */
final class Values {
  private Values() {}

  static List<String> of(ReadTransaction read, Dn name, String attribute) {
    List<String> values = new ArrayList<>();
    EntryView view = new EntryView();
    if (!read.read(read.find(name), view)) {
      throw new AssertionError("there is no " + name);
    }
    int wanted = read.attributes().id(SimulatedStorage.description(attribute));
    for (int i = 0; i < view.attributeCount(); i++) {
      if (view.attributeId(i) == wanted) {
        ValueCursor cursor = new ValueCursor().open(view, i);
        while (cursor.next()) {
          values.add(new String(cursor.value(), UTF_8));
        }
      }
    }
    return values;
  }
}
