package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.core.Seeds;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.format.IndexDefinition;

/** The transfer of a store into another one that is open and read. */
class TransferTest {
  private static final LogMark MARK = new LogMark(3, 7, "ab".repeat(32));

  @TempDir Path folder;

  private final Random random = new Random(Seeds.seed());

  private Path copyOf(TestStore store) throws IOException {
    try (LmdbBackend backend = store.open()) {
      try (WriteTransaction write = backend.beginWrite()) {
        write.note(MARK);
        write.commit();
      }
      Path copy = folder.resolve("copy");
      assertThat(backend.transfer().copy(copy)).isEqualTo(copy.resolve("data.mdb"));
      return copy;
    }
  }

  private static int count(LmdbBackend backend) {
    EntryView view = new EntryView();
    int found = 0;
    try (ReadTransaction read = backend.beginRead()) {
      long top = read.find(TestStore.dn(TestStore.SUFFIX));
      SearchSpec all =
          new SearchSpec(top, Scope.SUBTREE, CompiledFilter.Constant.TRUE, false, false);
      try (EntryCursor cursor = read.search(all, 0)) {
        while (cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY) {
          found++;
        }
      }
    }
    return found;
  }

  @Test
  void shouldTakeThePlaceOfAStoreThatIsReadInOneStep() throws Exception {
    TestStore source = TestStore.random(folder.resolve("source"), random, 300);
    TestStore target = TestStore.random(folder.resolve("target"), random, 100);
    Path copy = copyOf(source);
    int before = target.entries.size();
    int after = source.entries.size();
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    try (LmdbBackend backend = target.open()) {
      long snapshot;
      try (ReadTransaction read = backend.beginRead()) {
        snapshot = read.snapshot();
      }
      assertThat(count(backend)).isEqualTo(before);
      Thread reader =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      while (!stop.get()) {
                        assertThat(count(backend)).isIn(before, after);
                      }
                    } catch (Throwable e) {
                      failure.set(e);
                    }
                  });

      assertThat(backend.transfer().check(copy)).isEqualTo(MARK);
      backend.transfer().replace(copy);

      assertThat(count(backend)).isEqualTo(after);
      stop.set(true);
      Patience.join(reader);
      assertThat(failure.get()).isNull();
      assertThat(copy).doesNotExist();
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(read.logMark()).isEqualTo(MARK);
        assertThat(read.snapshot()).isGreaterThan(snapshot);
      }
      // Changes go on in the new data.
      try (WriteTransaction write = backend.beginWrite()) {
        write.apply(
            new ResolvedChange.Add(source.entry(random, 9_999, TestStore.dn(TestStore.SUFFIX))));
        write.commit();
      }
      assertThat(count(backend)).isEqualTo(after + 1);
    }
    try (LmdbBackend backend = target.open()) {
      assertThat(count(backend)).isEqualTo(after + 1);
    }
  }

  @Test
  void shouldRefuseWhatDoesNotSuitAndKeepTheData() throws Exception {
    TestStore target = TestStore.random(folder.resolve("target"), random, 50);
    Path other = folder.resolve("other");
    LmdbBackend.create(
        other,
        TestStore.SCHEMA,
        List.of("dc=other"),
        List.<IndexDefinition>of(),
        TestStore.SETTINGS);
    try (LmdbBackend backend = target.open()) {
      Path copy = folder.resolve("copy");
      backend.transfer().copy(copy);
      assertThatThrownBy(() -> backend.transfer().check(copy))
          .isInstanceOf(IOException.class)
          .hasMessage("the copy has no place in the log of a cluster");
      assertThatThrownBy(() -> backend.transfer().check(other))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("the copy has the naming contexts [dc=other], and this server");
      Path garbage = Files.createDirectory(folder.resolve("garbage"));
      Files.writeString(garbage.resolve("data.mdb"), "x".repeat(100_000));
      assertThatThrownBy(() -> backend.transfer().check(garbage)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> backend.transfer().replace(garbage))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("the data are as they were: ");
      assertThat(count(backend)).isEqualTo(target.entries.size());
    }
  }
}
