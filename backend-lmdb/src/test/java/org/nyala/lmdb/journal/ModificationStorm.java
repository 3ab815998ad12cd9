package org.nyala.lmdb.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.Modifications;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;

/**
 * Random changes of a flat directory, and a consumer that replays their modifications on copies, by
 * the rules of LDAP and no others.
 */
final class ModificationStorm {
  private static final int HISTORY = 400;
  private static final int MOST_UNITS = 10;

  final Random random;
  private final String context;
  private long micros = 1_767_225_600_000_000L;
  private int named;

  /** The entries: attributes and their values, by name. */
  private Map<String, Map<String, Set<String>>> entries = new TreeMap<>();

  private Map<String, Long> ids = new TreeMap<>();
  private long sequence;

  /** The entries after each change, by its sequence. */
  private TreeMap<Long, Map<String, Map<String, Set<String>>>> history = new TreeMap<>();

  ModificationStorm(long seed) {
    random = new Random(seed);
    context = "seed " + seed;
    history.put(0L, new TreeMap<>());
  }

  long sequence() {
    return sequence;
  }

  /** Creates the store, with its top. */
  void begin(LmdbBackend backend) {
    try (WriteTransaction write = backend.beginWrite()) {
      add(write, TestStore.SUFFIX, Map.of("dc", List.of("example")));
      write.commit();
    }
  }

  private static AttributeDescription description(String name) {
    return AttributeDescription.parse(TestStore.SCHEMA, name);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private Csn csn() {
    micros += 1 + random.nextInt(1000);
    return new Csn(micros, 0, 1, 0);
  }

  private void done() {
    sequence++;
    history.put(sequence, copy(entries));
    if (history.size() > HISTORY) {
      history.pollFirstEntry();
    }
  }

  private static Map<String, Map<String, Set<String>>> copy(
      Map<String, Map<String, Set<String>>> from) {
    Map<String, Map<String, Set<String>>> copy = new TreeMap<>();
    from.forEach(
        (name, attributes) -> {
          Map<String, Set<String>> values = new TreeMap<>();
          attributes.forEach((attribute, each) -> values.put(attribute, new TreeSet<>(each)));
          copy.put(name, values);
        });
    return copy;
  }

  private void add(WriteTransaction write, String name, Map<String, List<String>> more) {
    Entry entry = new Entry(TestStore.dn(name));
    Map<String, List<String>> attributes = new TreeMap<>(more);
    attributes.put("objectClass", List.of("organizationalUnit"));
    attributes.put("entryUUID", List.of(new UUID(random.nextLong(), random.nextLong()).toString()));
    Map<String, Set<String>> held = new TreeMap<>();
    attributes.forEach(
        (attribute, values) -> {
          values.forEach(value -> entry.add(description(attribute), bytes(value)));
          held.put(attribute, new TreeSet<>(values));
        });
    ids.put(name, write.apply(new ResolvedChange.Add(entry), csn()));
    entries.put(name, held);
    done();
  }

  private String title(int most) {
    return "t" + random.nextInt(most) + "x".repeat(random.nextInt(40));
  }

  /** Makes a change. */
  void change(WriteTransaction write) {
    List<String> names = ids.keySet().stream().filter(n -> n.startsWith("ou=")).toList();
    if (names.isEmpty() || names.size() < MOST_UNITS && random.nextInt(5) == 0) {
      String rdn = "u" + named++;
      List<String> titles = new ArrayList<>(new TreeSet<>(List.of(title(50), title(50))));
      add(write, "ou=" + rdn + "," + TestStore.SUFFIX, Map.of("ou", List.of(rdn), "title", titles));
      return;
    }
    String name = names.get(random.nextInt(names.size()));
    switch (random.nextInt(8)) {
      case 0 -> {
        write.apply(new ResolvedChange.Delete(TestStore.dn(name), ids.remove(name)), csn());
        entries.remove(name);
        done();
      }
      case 1 -> rename(write, name);
      default -> modify(write, name);
    }
  }

  private void rename(WriteTransaction write, String name) {
    String rdn = "u" + named++;
    String other = "ou=" + rdn + "," + TestStore.SUFFIX;
    Map<String, Set<String>> held = entries.remove(name);
    Set<String> units = held.get("ou");
    if (random.nextBoolean()) {
      units.remove(name.substring(3, name.indexOf(',')));
    }
    units.add(rdn);
    AttributeChange change =
        new AttributeChange.Replaced(
            description("ou"), units.stream().map(ModificationStorm::bytes).toList());
    long id = ids.remove(name);
    write.apply(
        new ResolvedChange.Rename(TestStore.dn(name), id, TestStore.dn(other), List.of(change)),
        csn());
    ids.put(other, id);
    entries.put(other, held);
    done();
  }

  /** Gives an attribute other values: few or many, of which few or many change. */
  private void modify(WriteTransaction write, String name) {
    Map<String, Set<String>> held = entries.get(name);
    Set<String> before = held.getOrDefault("title", new TreeSet<>());
    Set<String> after = new TreeSet<>();
    if (random.nextInt(4) > 0) {
      after.addAll(before);
      after.removeIf(_ -> random.nextInt(20) == 0);
    }
    for (int i = random.nextInt(random.nextInt(5) == 0 ? 90 : 4); i > 0; i--) {
      after.add(title(500));
    }
    boolean isLarge = before.size() > 100;
    AttributeChange change =
        isLarge
            ? new AttributeChange.Updated(
                description("title"), missing(before, after), missing(after, before))
            : new AttributeChange.Replaced(
                description("title"), after.stream().map(ModificationStorm::bytes).toList());
    write.apply(
        new ResolvedChange.Modify(TestStore.dn(name), ids.get(name), List.of(change)), csn());
    held.remove("title");
    if (!after.isEmpty()) {
      held.put("title", after);
    }
    done();
  }

  /** Gives the top a title of some length. */
  void enlarge(WriteTransaction write, int length) {
    String title = "x".repeat(length);
    AttributeChange change =
        new AttributeChange.Replaced(description("title"), List.of(bytes(title)));
    long id = ids.get(TestStore.SUFFIX);
    write.apply(
        new ResolvedChange.Modify(TestStore.dn(TestStore.SUFFIX), id, List.of(change)), csn());
    entries.get(TestStore.SUFFIX).put("title", new TreeSet<>(Set.of(title)));
    done();
  }

  private static List<byte[]> missing(Set<String> from, Set<String> in) {
    return from.stream()
        .filter(value -> !in.contains(value))
        .map(ModificationStorm::bytes)
        .toList();
  }

  /** Makes changes in a transaction, parts of which are undone, and sometimes all of it. */
  void transact(LmdbBackend backend) {
    Runnable undoing = undoing();
    boolean isKept = random.nextInt(5) > 0;
    try (WriteTransaction write = backend.beginWrite()) {
      for (int i = random.nextInt(10); i >= 0; i--) {
        if (random.nextInt(6) > 0) {
          change(write);
          continue;
        }
        Runnable undoingPart = undoing();
        write.beginPart();
        for (int j = random.nextInt(4); j >= 0; j--) {
          change(write);
        }
        if (random.nextBoolean()) {
          write.keepPart();
        } else {
          write.undoPart();
          undoingPart.run();
        }
      }
      if (isKept) {
        write.commit();
      }
    }
    if (!isKept) {
      undoing.run();
    }
  }

  private Runnable undoing() {
    Map<String, Map<String, Set<String>>> formerEntries = copy(entries);
    Map<String, Long> formerIds = new TreeMap<>(ids);
    TreeMap<Long, Map<String, Map<String, Set<String>>>> formerHistory = new TreeMap<>(history);
    long formerSequence = sequence;
    return () -> {
      entries = formerEntries;
      ids = formerIds;
      history = formerHistory;
      sequence = formerSequence;
    };
  }

  /**
   * Replays everything that the log has on the entries of that time, and compares.
   *
   * @return the number of changes that the log has
   */
  long assertReplays(LmdbBackend backend) {
    try (ReadTransaction read = backend.beginRead();
        ChangeJournal journal = read.journal(TestStore.dn(TestStore.SUFFIX))) {
      long first = journal.firstModifications();
      assertThat(first).as(context).isBetween(1L, sequence + 1);
      long from = Math.max(first, history.firstKey() + 1);
      var copy = copy(history.get(from - 1));
      for (long at = from; at <= sequence; at++) {
        JournalEntry entry = journal.seek(at);
        assertThat(entry.sequence()).as(context).isEqualTo(at);
        replay(copy, entry.kind(), journal.modifications(at), at);
      }
      assertThat(copy).as(context).isEqualTo(entries);
      return sequence + 1 - first;
    }
  }

  private void replay(
      Map<String, Map<String, Set<String>>> copy,
      JournalEntry.Kind kind,
      Modifications modifications,
      long at) {
    String what = context + ", change " + at;
    String name = modifications.name();
    switch (kind) {
      case ADD -> assertThat(copy.put(name, new TreeMap<>())).as(what).isNull();
      case DELETE -> assertThat(copy.remove(name)).as(what).isNotNull();
      case MODIFY -> {}
      case RENAME -> {
        Map<String, Set<String>> held = copy.remove(name);
        if (modifications.deletesOldRdn()) {
          assertThat(held.get("ou").remove(name.substring(3, name.indexOf(',')))).as(what).isTrue();
        }
        held.get("ou").add(modifications.newRdn().substring(3));
        assertThat(modifications.newSuperior()).as(what).isNull();
        name = modifications.newRdn() + "," + TestStore.SUFFIX;
        copy.put(name, held);
      }
    }
    if (kind == JournalEntry.Kind.RENAME) {
      assertThat(modifications.values()).as(what).isEmpty();
    } else if (kind != JournalEntry.Kind.DELETE) {
      modify(copy.get(name), modifications, what);
    }
  }

  /** Applies modifications; a value that is replaced after another one of the same kind is more. */
  private static void modify(
      Map<String, Set<String>> held, Modifications modifications, String what) {
    String last = "";
    for (byte[] each : modifications.values()) {
      String text = new String(each, StandardCharsets.UTF_8);
      int colon = text.indexOf(':');
      String attribute = text.substring(0, colon);
      String kind = text.substring(colon + 1, colon + 2);
      String value = text.length() > colon + 2 ? text.substring(colon + 3) : null;
      Set<String> values = held.computeIfAbsent(attribute, _ -> new TreeSet<>());
      if (kind.equals("=") && !last.equals(attribute + "=")) {
        values.clear();
      }
      if (kind.equals("-")) {
        assertThat(values.remove(value)).as(what).isTrue();
      } else if (value != null) {
        assertThat(values.add(value)).as(what).isTrue();
      }
      if (values.isEmpty()) {
        held.remove(attribute);
      }
      last = attribute + kind;
    }
  }
}
