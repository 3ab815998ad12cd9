package org.nyala.dynamic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.SCHEMA;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Patience;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.session.OperationFixture;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.admin.StoreVerifier;
import org.nyala.lmdb.env.EntryProgress;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.format.IndexDefinition;

/** Dynamic entries of a real store that is closed and opened again. */
class LmdbExpiryTest {
  private static final String TOP = UpdateFixture.TOP;
  private static final int MANY = 700;
  private static final LmdbSettings SETTINGS =
      LmdbSettings.DEFAULT
          .withMapSizeBytes(256L << 20)
          .with(draft -> draft.durability = LmdbSettings.Durability.NONE);

  @TempDir Path folder;

  private LmdbBackend backend;
  private UpdateFixture directory;
  private DynamicEntries entries;

  private void open() {
    backend = LmdbBackend.open(folder, SCHEMA, SETTINGS);
    var now = directory == null ? UpdateFixture.NOW : directory.now;
    directory = new UpdateFixture(List.of());
    directory.now = now;
    directory.backend = backend;
    UpdateFixture fixture = directory;
    entries =
        new DynamicEntries(
            Optional.of(new DynamicSettings(86_400, 0, 600, 5, 1000)), () -> fixture.now);
    directory.extensions.add(entries);
  }

  private void close() {
    directory.close();
    backend.close();
  }

  private void reopen() {
    close();
    open();
  }

  private void add(String name, String... pairs) {
    assertThat(directory.code(UpdateFixture.add(name, pairs)))
        .as(name)
        .isEqualTo(ResultCode.SUCCESS);
  }

  private void addDynamic(String cn, String parent) {
    add(
        "cn=" + cn + "," + parent,
        "objectClass",
        "device",
        "objectClass",
        "dynamicObject",
        "cn",
        cn);
  }

  private boolean isThere(String name) {
    try (ReadTransaction read = backend.beginRead()) {
      return read.find(UpdateFixture.dn(name)) != ReadTransaction.NO_ENTRY;
    }
  }

  private void expire(String last) {
    directory.operations();
    entries.expire();
    Patience.eventually(last + " is gone", () -> !isThere(last));
  }

  @ParameterizedTest
  @ValueSource(strings = {"objectClass", "cn"})
  void shouldDeleteWhatExpiredWhileItWasClosed(String indexed) {
    List<IndexDefinition> indexes =
        List.of(
            IndexDefinition.parse(SCHEMA, indexed, "eq"),
            IndexDefinition.parse(SCHEMA, "entryExpireTimestamp", "ord"));
    LmdbBackend.create(folder, SCHEMA, List.of(TOP), indexes, SETTINGS);
    open();
    add(TOP, "objectClass", "domain", "dc", "example");
    addDynamic("parent", TOP);
    String parent = "cn=parent," + TOP;
    for (int i = 0; i < MANY; i++) {
      addDynamic("n" + i, i % 2 == 0 ? TOP : parent);
    }
    add("cn=static," + TOP, "objectClass", "device", "cn", "static");
    directory.identity = new BoundIdentity(UpdateFixture.dn("cn=n0," + TOP), false);
    refresh("cn=n0," + TOP, 5000);
    directory.identity = OperationFixture.ROOT;
    reopen();
    directory.now = directory.now.plusSeconds(599);
    directory.operations();
    entries.expire();
    add("cn=barrier," + TOP, "objectClass", "device", "cn", "barrier");
    assertThat(isThere("cn=n1," + parent)).isTrue();
    reopen();
    directory.now = directory.now.plusSeconds(1);
    expire(parent);
    Patience.eventually("few are left", () -> count() == 4);
    for (int i = 1; i < MANY; i++) {
      assertThat(isThere("cn=n" + i + "," + (i % 2 == 0 ? TOP : parent))).as("n" + i).isFalse();
    }
    assertThat(isThere("cn=n0," + TOP)).isTrue();
    reopen();
    directory.now = directory.now.plusSeconds(4400);
    expire("cn=n0," + TOP);
    assertThat(count()).isEqualTo(3);
    close();
    assertThat(StoreVerifier.verify(folder, SCHEMA, 10, EntryProgress.NONE).problems()).isEmpty();
  }

  private long count() {
    try (ReadTransaction read = backend.beginRead()) {
      return 1 + read.subordinateCount(read.find(UpdateFixture.dn(TOP)));
    }
  }

  private void refresh(String name, int ttlSeconds) {
    BerWriter content = new BerWriter().text(0x80, name).integer(0x81, ttlSeconds);
    byte[] value = new BerWriter().sequence(content).toByteArray();
    RecordingSink sink =
        directory.run(new Request.Extended(1, RefreshOperation.OID, value, List.of()));
    assertThat(sink.code()).isEqualTo(ResultCode.SUCCESS);
  }
}
