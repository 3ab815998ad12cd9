package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.load.DefinitionKind;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.admin.StoreVerifier;
import org.nyala.lmdb.admin.Verification;
import org.nyala.lmdb.env.StoreException;

class NamingContextsTest {
  @TempDir Path directory;

  private void create(String... suffixes) {
    LmdbBackend.create(
        directory, TestStore.SCHEMA, List.of(suffixes), TestStore.indexes(), TestStore.SETTINGS);
  }

  private LmdbBackend open() {
    return LmdbBackend.open(directory, TestStore.SCHEMA, TestStore.SETTINGS);
  }

  private static void add(LmdbBackend backend, String... names) {
    try (WriteTransaction write = backend.beginWrite()) {
      for (String name : names) {
        Entry entry = new Entry(TestStore.dn(name));
        TestStore.add(entry, "cn", "x");
        write.apply(new ResolvedChange.Add(entry));
      }
      write.commit();
    }
  }

  private static List<String> search(ReadTransaction read, String base, Scope scope) {
    CompiledFilter filter = FilterOracle.equality("cn", "x");
    SearchSpec spec = new SearchSpec(read.find(TestStore.dn(base)), scope, filter, false, false);
    List<String> found = new ArrayList<>();
    EntryView view = new EntryView();
    try (EntryCursor cursor = read.search(spec, 0)) {
      while (cursor.next(view, 1000) == EntryCursor.Step.ENTRY) {
        found.add(new String(view.dn(), StandardCharsets.UTF_8));
      }
    }
    return found;
  }

  private void assertSound(int entries) {
    StoreVerifier.Report report = Verification.verify(directory, TestStore.SCHEMA, 5);
    assertThat(report.problems()).isEmpty();
    assertThat(report.entries()).isEqualTo(entries);
  }

  @Test
  void shouldHoldEntriesDirectlyBelowTheEmptySuffix() {
    create("");
    try (LmdbBackend backend = open()) {
      assertThat(backend.namingContexts()).containsExactly(Dn.EMPTY);
      add(backend, "dc=com", "dc=example,dc=com", "dc=org", "cn=a,dc=example,dc=com");
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(read.find(Dn.EMPTY)).isEqualTo(ReadTransaction.NO_ENTRY);
        assertThat(read.find(TestStore.dn("DC=Example,dc=com"))).isEqualTo(2);
        assertThat(read.distanceToNearest(TestStore.dn("cn=b,cn=c,dc=example,dc=com")))
            .isEqualTo(2);
        assertThat(read.distanceToNearest(TestStore.dn("dc=net"))).isEqualTo(-1);
        assertThat(read.distanceToNearest(Dn.EMPTY)).isEqualTo(-1);
        assertThat(search(read, "", Scope.SUBTREE))
            .containsExactly("dc=com", "dc=example,dc=com", "dc=org", "cn=a,dc=example,dc=com");
        assertThat(search(read, "", Scope.SUBORDINATE)).hasSize(4);
        assertThat(search(read, "", Scope.ONE_LEVEL)).containsExactly("dc=com", "dc=org");
        assertThat(search(read, "dc=com", Scope.SUBTREE)).hasSize(3);
        assertThat(read.subordinateCount(ReadTransaction.NO_ENTRY)).isEqualTo(2);
        assertThat(read.hasSubordinates(ReadTransaction.NO_ENTRY)).isTrue();
      }
      try (WriteTransaction write = backend.beginWrite()) {
        Dn to = TestStore.dn("dc=net");
        write.apply(new ResolvedChange.Rename(TestStore.dn("dc=example,dc=com"), 2, to, List.of()));
        write.apply(new ResolvedChange.Delete(TestStore.dn("dc=org"), 3));
        assertThat(search(write, "", Scope.SUBTREE))
            .containsExactly("dc=com", "dc=net", "cn=a,dc=net");
        write.commit();
      }
    }
    assertSound(3);
  }

  @Test
  void shouldHoldNamingContextsThatNobodyHasFilled() {
    create("dc=a", "dc=b,dc=c");
    try (LmdbBackend backend = open()) {
      add(backend, "dc=b,dc=c", "cn=x,dc=b,dc=c");
      backend.addNamingContexts(List.of("dc=A", "dc=d"));
      add(backend, "dc=d");
      assertThat(backend.namingContexts())
          .containsExactly(TestStore.dn("dc=a"), TestStore.dn("dc=b,dc=c"), TestStore.dn("dc=d"));
      assertThatThrownBy(() -> add(backend, "dc=c")).isInstanceOf(IllegalStateException.class);
    }
    try (LmdbBackend backend = open();
        ReadTransaction read = backend.beginRead()) {
      assertThat(backend.namingContexts()).hasSize(3);
      assertThat(read.find(TestStore.dn("dc=a"))).isZero();
      assertThat(search(read, "dc=b,dc=c", Scope.SUBTREE)).hasSize(2);
    }
    assertSound(3);
  }

  @Test
  void shouldGoOnBySchemaThatNamingContextsNeed() throws InvalidDnException {
    create("dc=a");
    ExtendedSchema plain = ExtendedSchema.of(TestStore.SCHEMA);
    ExtendedSchema extended =
        plain.with(
            List.of(
                ExtendedSchema.parse(
                    DefinitionKind.ATTRIBUTE_TYPE,
                    "( 1.3.6.1.4.1.55555.1.1 NAME 'colour' EQUALITY caseIgnoreMatch"
                        + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )")));
    try (LmdbBackend backend = open()) {
      try (WriteTransaction write = backend.beginWrite()) {
        write.changeSchema(extended);
        write.commit();
      }
      backend.addNamingContexts(List.of("colour=red"));
      try (WriteTransaction write = backend.beginWrite()) {
        assertThatThrownBy(() -> write.changeSchema(plain))
            .isInstanceOf(InvalidSchemaException.class)
            .hasMessageContaining("colour=red");
      }
      Dn top = DnParser.parse(extended.schema(), "colour=Red");
      try (WriteTransaction write = backend.beginWrite()) {
        Entry entry = new Entry(top);
        TestStore.add(entry, "cn", "x");
        write.apply(new ResolvedChange.Add(entry));
        write.commit();
      }
      add(backend, "dc=a");
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(read.find(top)).isEqualTo(1);
        assertThat(read.find(TestStore.dn("dc=a"))).isEqualTo(2);
      }
    }
    try (LmdbBackend backend = open()) {
      assertThat(backend.namingContexts()).hasSize(2);
    }
  }

  @Test
  void shouldRefuseNamingContextsWithinEachOther() {
    assertThatThrownBy(() -> create("dc=com", "dc=example,dc=com"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("must not be nested");
    assertThatThrownBy(() -> create("dc=com", "")).hasMessageContaining("must not be nested");
    assertThatThrownBy(() -> create("nonsense"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is no DN");
    create("dc=example,dc=com");
    try (LmdbBackend backend = open()) {
      assertThatThrownBy(() -> backend.addNamingContexts(List.of("dc=com")))
          .hasMessageContaining("must not be nested");
      assertThat(backend.namingContexts()).hasSize(1);
      add(backend, "dc=example,dc=com");
    }
    assertSound(1);
  }
}
