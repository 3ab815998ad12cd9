package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;

/** Random changes, applied to a transaction and to the entries as objects. */
public final class WriteStorm {
  private static final List<String> ATTRIBUTES =
      List.of(
          "cn",
          "sn",
          "title",
          "title;lang-en",
          "title;lang-de",
          "description",
          "givenName",
          "userPassword",
          "createTimestamp",
          "uidNumber",
          "street",
          "l;lang-fr");

  private final TestStore store;
  private final Random random;
  private int number;

  public WriteStorm(TestStore store, Random random) {
    this.store = store;
    this.random = random;
    this.number = store.entries.size() + 1000;
  }

  public void change(WriteTransaction write) {
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> add(write);
      case 3 -> rename(write);
      case 4 -> delete(write);
      default -> modify(write);
    }
  }

  private void add(WriteTransaction write) {
    long parent = store.randomId(random);
    Entry entry = store.entry(random, number++, store.entries.get(parent).dn());
    if (random.nextInt(40) == 0) {
      TestStore.add(entry, "description;x-" + number, "a new description");
    }
    assertThat(write.find(entry.dn())).isZero();
    long id = write.apply(new ResolvedChange.Add(entry));
    assertThat(store.entries).doesNotContainKey(id);
    store.put(id, parent, entry);
    assertThat(write.find(entry.dn())).isEqualTo(id);
  }

  private void delete(WriteTransaction write) {
    long id = store.randomId(random);
    boolean isLeaf = !store.parents.containsValue(id);
    assertThat(write.hasSubordinates(id)).isEqualTo(!isLeaf);
    if (isLeaf && store.entries.size() > 20) {
      Dn dn = store.entries.get(id).dn();
      write.apply(new ResolvedChange.Delete(dn, id));
      store.remove(id);
      assertThat(write.find(dn)).isZero();
    }
  }

  private void modify(WriteTransaction write) {
    long id = store.randomId(random);
    Entry entry = store.entries.get(id);
    List<AttributeChange> changes = new ArrayList<>();
    Entry after = changed(entry, entry.dn(), changes);
    write.apply(new ResolvedChange.Modify(entry.dn(), id, changes));
    store.put(id, store.parents.get(id), after);
  }

  private Entry changed(Entry entry, Dn dn, List<AttributeChange> changes) {
    Map<String, List<String>> content = content(entry);
    for (int i = random.nextInt(4); i > 0; i--) {
      String name = ATTRIBUTES.get(random.nextInt(ATTRIBUTES.size()));
      boolean isKnown =
          changes.stream().anyMatch(change -> change.description().equals(description(name)));
      if (!isKnown) {
        changes.add(change(name, content));
      }
    }
    if (random.nextInt(10) == 0) {
      List<String> classes = new ArrayList<>(content.get("objectClass"));
      for (String special : List.of("referral", "alias")) {
        if (!classes.remove(special) && random.nextBoolean()) {
          classes.add(special);
        }
      }
      changes.add(new AttributeChange.Replaced(description("objectClass"), bytes(classes)));
      content.put("objectClass", classes);
    }
    Entry after = new Entry(dn);
    content.forEach((name, values) -> values.forEach(value -> TestStore.add(after, name, value)));
    return after;
  }

  private AttributeChange change(String name, Map<String, List<String>> content) {
    List<String> old = content.getOrDefault(name, List.of());
    if (random.nextBoolean()) {
      List<String> values = new ArrayList<>();
      for (int i = random.nextInt(3); i > 0; i--) {
        values.add(value(name));
      }
      set(name, values, content);
      return new AttributeChange.Replaced(description(name), bytes(values));
    }
    List<String> removed = new ArrayList<>();
    List<String> kept = new ArrayList<>();
    for (String value : old) {
      (random.nextBoolean() && !kept.contains(value) || removed.contains(value) ? removed : kept)
          .add(value);
    }
    // Values that are the same by the rule go together.
    boolean ignoresCase = !name.equals("userPassword");
    kept.removeIf(
        value ->
            removed.stream()
                .anyMatch(
                    other -> ignoresCase ? other.equalsIgnoreCase(value) : other.equals(value)));
    List<String> added = List.of(value(name));
    List<String> after = new ArrayList<>(kept);
    after.addAll(added);
    set(name, after, content);
    return new AttributeChange.Updated(description(name), bytes(removed), bytes(added));
  }

  private static void set(String name, List<String> values, Map<String, List<String>> content) {
    if (values.isEmpty()) {
      content.remove(name);
    } else {
      content.put(name, values);
    }
  }

  private String value(String name) {
    return switch (name) {
      case "createTimestamp" -> "202" + random.nextInt(5) + "0101000000Z";
      case "uidNumber" -> Integer.toString(random.nextInt(40) - 20);
      default -> TestStore.word(random);
    };
  }

  private void rename(WriteTransaction write) {
    long id = store.randomId(random);
    long parent = random.nextBoolean() ? store.parents.get(id) : store.randomId(random);
    if (id == store.entries.firstKey() || store.isWithin(parent, id)) {
      return;
    }
    Entry entry = store.entries.get(id);
    String rdn = new String(entry.dn().rdn(0), StandardCharsets.UTF_8);
    String newRdn =
        switch (random.nextInt(3)) {
          case 0 -> rdn;
          case 1 -> rdn.startsWith("uid=") ? rdn.replace("uid=u", "UID=U") : rdn;
          default -> "cn=renamed " + number++;
        };
    Dn newDn = TestStore.dn(newRdn + "," + store.entries.get(parent).dn());
    List<AttributeChange> changes = new ArrayList<>();
    Entry after = changed(entry, newDn, changes);
    long renamed = write.apply(new ResolvedChange.Rename(entry.dn(), id, newDn, changes));
    assertThat(renamed).isEqualTo(id);
    store.put(id, parent, after);
    nameBelow(id, newDn);
    assertThat(write.find(newDn)).isEqualTo(id);
    if (!newDn.equals(entry.dn())) {
      assertThat(write.find(entry.dn())).isZero();
    }
  }

  private void nameBelow(long parent, Dn parentDn) {
    for (long id : List.copyOf(store.entries.keySet())) {
      if (store.parents.get(id) == parent) {
        Entry entry = store.entries.get(id);
        String rdn = new String(entry.dn().rdn(0), StandardCharsets.UTF_8);
        Dn dn = TestStore.dn(rdn + "," + parentDn);
        Entry named = new Entry(dn);
        content(entry)
            .forEach((name, values) -> values.forEach(v -> TestStore.add(named, name, v)));
        store.put(id, parent, named);
        nameBelow(id, dn);
      }
    }
  }

  /** Compares every entry with the one that the transaction shows. */
  void compareEntries(ReadTransaction read, String context) {
    EntryView view = new EntryView();
    store.entries.forEach(
        (id, entry) -> {
          assertThat(read.find(entry.dn())).as(context).isEqualTo(id);
          assertThat(read.read(id, view)).as(context).isTrue();
          assertThat(new String(view.dn(), StandardCharsets.UTF_8))
              .as(context)
              .isEqualTo(entry.dn().toString());
          assertThat(view.parentId()).as(context).isEqualTo(store.parents.get(id));
          assertThat(content(view, read)).as(context).isEqualTo(content(entry));
          assertThat(read.subordinateCount(id))
              .as(context)
              .isEqualTo(store.parents.values().stream().filter(id::equals).count());
        });
    boolean holdsSome =
        store.entries.keySet().stream().anyMatch(id -> LmdbSearchTest.flags(store, id) != 0);
    assertThat(read.mayHoldReferralsOrAliases())
        .as(context)
        .isEqualTo(holdsSome || read instanceof WriteTransaction);
  }

  private static Map<String, List<String>> content(EntryView view, ReadTransaction read) {
    Map<String, List<String>> content = new TreeMap<>();
    ValueCursor values = new ValueCursor();
    for (int i = 0; i < view.attributeCount(); i++) {
      List<String> texts = new ArrayList<>();
      values.open(view, i);
      while (values.next()) {
        texts.add(new String(values.value(), StandardCharsets.UTF_8));
      }
      content.put(read.attributes().description(view.attributeId(i)).name(), texts);
    }
    return content;
  }

  private static Map<String, List<String>> content(Entry entry) {
    Map<String, List<String>> content = new TreeMap<>();
    for (AttributeDescription description : entry.descriptions()) {
      List<String> texts = new ArrayList<>();
      for (byte[] value : entry.values(description)) {
        texts.add(new String(value, StandardCharsets.UTF_8));
      }
      content.put(description.name(), texts);
    }
    return content;
  }

  private static AttributeDescription description(String name) {
    return AttributeDescription.parse(TestStore.SCHEMA, name);
  }

  private static List<byte[]> bytes(List<String> values) {
    return values.stream().map(value -> value.getBytes(StandardCharsets.UTF_8)).toList();
  }
}
