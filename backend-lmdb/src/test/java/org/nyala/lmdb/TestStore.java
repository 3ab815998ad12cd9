package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.lmdb.admin.StoreVerifier;
import org.nyala.lmdb.admin.Verification;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.format.IndexDefinition;

/** A random directory in a real store, and the same entries as objects. */
public final class TestStore {
  public static final Schema SCHEMA = SchemaLoader.standard();
  public static final LmdbSettings SETTINGS =
      LmdbSettings.DEFAULT
          .withMapSizeBytes(256L << 20)
          .with(draft -> draft.rememberedSearches = 1024);
  public static final String SUFFIX = "dc=example,dc=com";
  static final List<String> WORDS =
      List.of("anna", "Anna", "annabel", "hanna", "jo", "john", "johnson", "a", "o", "Müller");

  private static final int IDS_OF_A_BLOCK = 1 << 16;

  public final Path directory;
  public final TreeMap<Long, Entry> entries = new TreeMap<>();
  public final TreeMap<Long, Long> parents = new TreeMap<>();

  private final List<Long> ids = new ArrayList<>();

  private TestStore(Path directory) {
    this.directory = directory;
  }

  static List<IndexDefinition> indexes() {
    return List.of(
        IndexDefinition.parse(SCHEMA, "objectClass", "eq"),
        IndexDefinition.parse(SCHEMA, "cn", "eq,sub,pres"),
        IndexDefinition.parse(SCHEMA, "sn", "eq,sub"),
        IndexDefinition.parse(SCHEMA, "uid", "eq,sub"),
        IndexDefinition.parse(SCHEMA, "title", "eq"),
        IndexDefinition.parse(SCHEMA, "createTimestamp", "ord"),
        IndexDefinition.parse(SCHEMA, "uidNumber", "eq"));
  }

  /** Fills a store with random entries, ids scattered over two blocks or more. */
  public static TestStore random(Path directory, Random random, int size) {
    create(directory);
    TestStore store = new TestStore(directory);
    try (LmdbBackend backend = store.open();
        LmdbWriter writer = (LmdbWriter) backend.beginWrite()) {
      store.put(writer, 0, store.top());
      for (int i = 1; i < size; i++) {
        long parent = store.ids.get(random.nextInt(1 + random.nextInt(store.ids.size())));
        // Chance alone may leave all of them in one block.
        if (i == size / 2) {
          writer.skipTo(store.entries.lastKey() + IDS_OF_A_BLOCK);
        } else if (random.nextInt(50) == 0) {
          writer.skipTo(store.entries.lastKey() + 1 + random.nextInt(90_000));
        }
        store.put(writer, parent, store.entry(random, i, store.entries.get(parent).dn()));
      }
      store.removeSome(writer, random);
      writer.commit();
    }
    store.assertSound();
    return store;
  }

  public static void create(Path directory) {
    LmdbBackend.create(directory, SCHEMA, List.of(SUFFIX), indexes(), SETTINGS);
  }

  static void createWithoutIndexes(Path directory) {
    LmdbBackend.create(directory, SCHEMA, List.of(SUFFIX), List.of(), SETTINGS);
  }

  private Entry top() {
    Entry top = new Entry(dn(SUFFIX));
    add(top, "objectClass", "domain");
    add(top, "dc", "example");
    return top;
  }

  private void put(LmdbWriter writer, long parent, Entry entry) {
    long id = writer.apply(new ResolvedChange.Add(entry));
    ids.add(id);
    entries.put(id, entry);
    parents.put(id, parent);
  }

  private void removeSome(LmdbWriter writer, Random random) {
    for (Long id : List.copyOf(ids)) {
      if (random.nextInt(20) == 0 && !parents.containsValue(id)) {
        writer.apply(new ResolvedChange.Delete(entries.get(id).dn(), id));
        entries.remove(id);
        parents.remove(id);
        ids.remove(id);
      }
    }
  }

  Entry entry(Random random, int number, Dn parent) {
    boolean isUnit = random.nextInt(10) == 0;
    String rdn = isUnit ? "ou=Unit " + number : "uid=u" + number;
    Entry entry = new Entry(dn(rdn + "," + parent));
    add(entry, "objectClass", "top");
    if (isUnit) {
      add(entry, "objectClass", "organizationalUnit");
      add(entry, "ou", "Unit " + number);
    } else {
      add(entry, "objectClass", "inetOrgPerson");
      add(entry, "uid", "u" + number);
    }
    switch (random.nextInt(40)) {
      case 0 -> add(entry, "objectClass", "referral");
      case 1 -> add(entry, "objectClass", "alias");
      default -> {}
    }
    for (String name : List.of("cn", "sn", "title", "title;lang-en", "description", "givenName")) {
      for (int values = random.nextInt(3); values > 0; values--) {
        add(entry, name, word(random));
      }
    }
    if (random.nextBoolean()) {
      add(entry, "uidNumber", Integer.toString(random.nextInt(40) - 20));
    }
    if (random.nextBoolean()) {
      add(entry, "createTimestamp", "202" + random.nextInt(5) + "0101000000Z");
    }
    if (random.nextInt(4) == 0) {
      add(entry, "userPassword", "secret");
    }
    return entry;
  }

  static String word(Random random) {
    String word = WORDS.get(random.nextInt(WORDS.size()));
    return switch (random.nextInt(8)) {
      case 0 -> word + " " + WORDS.get(random.nextInt(WORDS.size()));
      case 1 -> word.repeat(130) + random.nextInt(3);
      default -> word;
    };
  }

  public static void add(Entry entry, String name, String value) {
    AttributeDescription description = AttributeDescription.parse(SCHEMA, name);
    entry.add(description, value.getBytes(StandardCharsets.UTF_8));
  }

  public static Dn dn(String text) {
    try {
      return DnParser.parse(SCHEMA, text);
    } catch (InvalidDnException e) {
      throw new IllegalArgumentException(e);
    }
  }

  public LmdbBackend open() {
    return LmdbBackend.open(directory, SCHEMA, SETTINGS);
  }

  /** A state of everything, to return to: entries are never changed, but replaced. */
  record Saved(TreeMap<Long, Entry> entries, TreeMap<Long, Long> parents) {}

  Saved save() {
    return new Saved(new TreeMap<>(entries), new TreeMap<>(parents));
  }

  void restore(Saved saved) {
    entries.clear();
    entries.putAll(saved.entries());
    parents.clear();
    parents.putAll(saved.parents());
    ids.clear();
    ids.addAll(entries.keySet());
  }

  void put(long id, long parent, Entry entry) {
    if (entries.put(id, entry) == null) {
      ids.add(id);
    }
    parents.put(id, parent);
  }

  void remove(long id) {
    entries.remove(id);
    parents.remove(id);
    ids.remove(id);
  }

  public long randomId(Random random) {
    return ids.get(random.nextInt(ids.size()));
  }

  boolean isWithin(long id, long ancestor) {
    for (long at = id; at != 0; at = parents.get(at)) {
      if (at == ancestor) {
        return true;
      }
    }
    return false;
  }

  public void assertSound() {
    StoreVerifier.Report report = Verification.verify(directory, SCHEMA, 20);
    assertThat(report.problems()).isEmpty();
    assertThat(report.isSound()).isTrue();
    assertThat(report.entries()).isEqualTo(entries.size());
  }
}
