package org.nyala.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntrySnapshot;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.core.update.CommittedChange;

/**
 * The content of a naming context: each name with all that its entry says, as text; and what it has
 * held with each of its vectors, on any server that has changed it.
 *
 * <p>Confined to one thread.
 */
final class Contents {
  private final Map<CsnVector, Set<Map<String, String>>> past = new HashMap<>();
  private TreeMap<String, String> now = new TreeMap<>();
  private CsnVector vector = CsnVector.EMPTY;

  /** Reads everything that a store holds. */
  static Map<String, String> of(Backend store) {
    Map<String, String> all = new TreeMap<>();
    EntryView view = new EntryView();
    SearchSpec everything =
        new SearchSpec(
            ReadTransaction.NO_ENTRY, Scope.SUBTREE, CompiledFilter.Constant.TRUE, false, false);
    try (ReadTransaction read = store.beginRead();
        EntryCursor cursor = read.search(everything, ReadTransaction.NO_ENTRY)) {
      while (cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY) {
        all.put(name(view), text(view, read.attributes()));
      }
    }
    return all;
  }

  /** Returns the changes that a store has, as others get to know them. */
  static CsnVector vector(Backend store, Dn suffix) {
    try (ReadTransaction read = store.beginRead()) {
      return read.contextCsns(read.find(suffix)).given();
    }
  }

  private static String name(EntryView view) {
    return new String(view.dn(), UTF_8).toLowerCase(Locale.ROOT);
  }

  private static String text(EntryView view, AttributeTable table) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < view.attributeCount(); i++) {
      String name = table.description(view.attributeId(i)).name();
      ValueCursor values = new ValueCursor().open(view, i);
      while (values.next()) {
        lines.add(name + "=" + new String(values.value(), UTF_8));
      }
    }
    Collections.sort(lines);
    return String.join(" ", lines);
  }

  /** Begins again with what a store holds. */
  void reset(Backend store, Dn suffix) {
    now = new TreeMap<>(of(store));
    vector = vector(store, suffix);
    remember();
  }

  /** Takes a change. */
  void take(CommittedChange change) {
    switch (change.change()) {
      case ResolvedChange.Add _, ResolvedChange.Modify _ -> put(change.image());
      case ResolvedChange.Delete delete -> now.remove(text(delete.dn()));
      case ResolvedChange.Rename rename -> {
        String before = text(rename.dn());
        String after = text(rename.newDn());
        TreeMap<String, String> renamed = new TreeMap<>();
        now.forEach(
            (name, said) -> {
              boolean isMoved = name.equals(before) || name.endsWith("," + before);
              renamed.put(
                  isMoved ? name.substring(0, name.length() - before.length()) + after : name,
                  said);
            });
        now = renamed;
        put(change.image());
      }
    }
    vector = vector.with(change.csn());
    remember();
  }

  private static String text(Dn name) {
    return name.toString().toLowerCase(Locale.ROOT);
  }

  private void put(EntrySnapshot image) {
    EntryView view = new EntryView();
    image.show(view);
    now.put(name(view), text(view, image.table()));
  }

  private void remember() {
    past.computeIfAbsent(vector, _ -> new HashSet<>()).add(Map.copyOf(now));
  }

  /** Returns what the naming context holds where it is changed. */
  Map<String, String> now() {
    return now;
  }

  /** Returns the changes that it has there. */
  CsnVector vector() {
    return vector;
  }

  /** Returns what it has held with a vector. */
  Set<Map<String, String>> with(CsnVector other) {
    return past.getOrDefault(other, Set.of());
  }
}
