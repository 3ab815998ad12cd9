package org.nyala.lmdb.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.ldif.LdifWriter;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.admin.Verification;

class ParentFirstOrderTest {
  @TempDir Path directory;

  /** A chain in which every entry is older than its parent, and leaves below each of its parts. */
  @Test
  void shouldWriteParentsBeforeChildrenHoweverEntriesWereMoved() throws IOException {
    TestStore.create(directory);
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, TestStore.SETTINGS)) {
      int count = fill(backend);
      for (int slice : new int[] {3, 8192}) {
        Set<Dn> written = new HashSet<>();
        for (Dn dn : export(backend, slice)) {
          boolean isTop = dn.equals(TestStore.dn(TestStore.SUFFIX));
          assertThat(isTop || written.contains(dn.parent())).as("%s", dn).isTrue();
          assertThat(written.add(dn)).as("%s", dn).isTrue();
        }
        assertThat(written).hasSize(count);
      }
    }
    assertThat(Verification.verify(directory, TestStore.SCHEMA, 5).problems()).isEmpty();
  }

  private static int fill(LmdbBackend backend) {
    int count = 0;
    try (WriteTransaction write = backend.beginWrite()) {
      add(write, TestStore.SUFFIX);
      count++;
      for (int i = 0; i < 12; i++) {
        add(write, "cn=c" + i + "," + TestStore.SUFFIX);
        for (int leaf = 0; leaf < 20; leaf++) {
          add(write, "cn=l" + leaf + ",cn=c" + i + "," + TestStore.SUFFIX);
        }
        count += 21;
      }
      String parent = "cn=c11," + TestStore.SUFFIX;
      for (int i = 10; i >= 0; i--) {
        move(write, "cn=c" + i + "," + TestStore.SUFFIX, "cn=c" + i + "," + parent);
        parent = "cn=c" + i + "," + parent;
      }
      Random random = new Random(1);
      for (int leaf = 0; leaf < 20; leaf++) {
        String name = "cn=l" + leaf + ",cn=c11," + TestStore.SUFFIX;
        if (random.nextBoolean()) {
          move(write, name, "cn=moved" + leaf + "," + parent);
        }
      }
      write.commit();
    }
    return count;
  }

  private static void add(WriteTransaction write, String name) {
    Entry entry = new Entry(TestStore.dn(name));
    TestStore.add(entry, "cn", name);
    write.apply(new ResolvedChange.Add(entry));
  }

  private static void move(WriteTransaction write, String from, String to) {
    Dn dn = TestStore.dn(from);
    write.apply(new ResolvedChange.Rename(dn, write.find(dn), TestStore.dn(to), List.of()));
  }

  private static List<Dn> export(LmdbBackend backend, int slice) throws IOException {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    LdifWriter writer = new LdifWriter(output, 0);
    new LdifExport(
            backend,
            TestStore.SCHEMA,
            CompiledFilter.Constant.TRUE,
            writer,
            slice,
            System::nanoTime)
        .run(null);
    return output
        .toString(StandardCharsets.UTF_8)
        .replace("\n ", "")
        .lines()
        .filter(line -> line.startsWith("dn: "))
        .map(line -> TestStore.dn(line.substring(4)))
        .toList();
  }
}
