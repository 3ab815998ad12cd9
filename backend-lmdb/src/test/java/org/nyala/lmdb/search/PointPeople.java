package org.nyala.lmdb.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.EntryCursor.Step;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.FilterOracle;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.format.IndexKind;

/** A store with some people, and the kinds of searches whose results must not differ. */
public final class PointPeople {
  public static final int PEOPLE = 40;

  private PointPeople() {}

  /** Makes a store with the people, and opens it. */
  public static LmdbBackend open(Path directory, LmdbSettings settings) {
    TestStore.create(directory);
    LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, settings);
    try (WriteTransaction write = backend.beginWrite()) {
      write.apply(new ResolvedChange.Add(new Entry(TestStore.dn(TestStore.SUFFIX))));
      for (int i = 0; i < PEOPLE; i++) {
        write.apply(new ResolvedChange.Add(person(i, "d")));
      }
      write.commit();
    }
    return backend;
  }

  public static Dn name(int number) {
    return TestStore.dn("uid=u" + number + "," + TestStore.SUFFIX);
  }

  public static Entry person(int number, String description) {
    Entry entry = new Entry(name(number));
    TestStore.add(entry, "objectClass", "inetOrgPerson");
    TestStore.add(entry, "uid", "u" + number);
    TestStore.add(entry, "description", description);
    TestStore.add(entry, "title", number % 2 == 0 ? "even" : "odd");
    return entry;
  }

  public static CompiledFilter uid(int number) {
    return FilterOracle.equality("uid", "u" + number);
  }

  static SearchSpec below(ReadTransaction read, Scope scope, CompiledFilter filter) {
    long base = read.find(TestStore.dn(TestStore.SUFFIX));
    return new SearchSpec(base, scope, filter, false, false);
  }

  /** Returns the entry that is found by name and read by id. */
  public static String read(ReadTransaction read, int number) {
    long id = read.find(name(number));
    EntryView view = new EntryView();
    assertThat(read.read(id, view)).isEqualTo(id != ReadTransaction.NO_ENTRY);
    return id == ReadTransaction.NO_ENTRY ? "" : text(view);
  }

  /** Returns the ids and records that a search finds. */
  public static String found(ReadTransaction read, CompiledFilter filter, Scope scope) {
    StringBuilder text = new StringBuilder();
    EntryView view = new EntryView();
    try (EntryCursor cursor = read.search(below(read, scope, filter), 0)) {
      while (cursor.next(view, 100) == Step.ENTRY) {
        assertThat(view.id()).isEqualTo(cursor.position());
        text.append(text(view));
      }
    }
    return text.toString();
  }

  private static String text(EntryView view) {
    byte[] record = new byte[view.recordLength()];
    view.buffer().get(view.recordStart(), record);
    return view.id() + text(view.dn()) + text(record) + values(view);
  }

  /** Returns one character for each byte: millions of entries are compared. */
  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static String values(EntryView view) {
    StringBuilder text = new StringBuilder();
    ValueCursor values = new ValueCursor();
    for (int i = 0; i < view.attributeCount(); i++) {
      values.open(view, i);
      while (values.next()) {
        text.append(text(values.value())).append('\n');
      }
    }
    return text.toString();
  }

  public static boolean isRemembered(LmdbBackend backend, ReadTransaction read, int number) {
    return backend.points().find(point(read, "u" + number), read.snapshot());
  }

  static LookupKey point(ReadTransaction read, String value) {
    AttributeDescription uid = AttributeDescription.parse(TestStore.SCHEMA, "uid");
    ByteAppender key = new ByteAppender(64);
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    int attribute = read.attributes().id(uid);
    IndexKeys.appendPrefix(attribute, IndexKind.EQUALITY, bytes, 0, bytes.length, key);
    LookupKey point = new LookupKey();
    point.take(key.array(), key.length());
    return point;
  }

  /** Returns an equivalent filter, which no plan for one value answers. */
  public static CompiledFilter twice(int number) {
    return new CompiledFilter.Or(List.of(uid(number), uid(number)));
  }

  public static ResolvedChange describe(int number, String text, ReadTransaction read) {
    AttributeDescription description = AttributeDescription.parse(TestStore.SCHEMA, "description");
    byte[] value = text.getBytes(StandardCharsets.UTF_8);
    return new ResolvedChange.Modify(
        name(number),
        read.find(name(number)),
        List.of(new AttributeChange.Replaced(description, List.of(value))));
  }
}
