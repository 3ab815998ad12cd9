package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.add;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.session.OperationFixture.SCHEMA;
import static org.nyala.core.session.OperationFixture.entry;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.SilentLog;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.update.ChangeWriter;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.LmdbSettings;

/** Updates that find the map of the data file too small. */
class GrowingStoreTest {
  private static final int MEBIBYTE = 1 << 20;

  @TempDir Path folder;

  private LmdbBackend open(UpdateFixture directory, int maximumBytes) {
    LmdbSettings settings =
        LmdbSettings.DEFAULT
            .withMapSizeBytes(MEBIBYTE)
            .with(draft -> draft.maximumMapSizeBytes = maximumBytes);
    LmdbBackend.create(folder, SCHEMA, List.of(TOP), List.of(), settings);
    LmdbBackend backend = LmdbBackend.open(folder, SCHEMA, settings);
    try (WriteTransaction write = backend.beginWrite()) {
      write.apply(new ResolvedChange.Add(entry(TOP, "objectClass", "domain", "dc", "example")));
      write.commit();
    }
    directory.backend = backend;
    return backend;
  }

  private static Request.Add device(int number, int octets) {
    String name = "device" + number;
    return add(
        "cn=" + name + "," + TOP,
        "objectClass",
        "device",
        "cn",
        name,
        "description",
        "d".repeat(octets));
  }

  @Test
  void shouldStoreALoneUpdateForWhichTheMapMustGrow() {
    try (SilentLog _ = new SilentLog(ChangeWriter.class.getName());
        UpdateFixture directory = new UpdateFixture();
        LmdbBackend _ = open(directory, 64 * MEBIBYTE)) {
      for (int number = 0; number < 10; number++) {
        assertThat(directory.code(device(number, 400_000))).isEqualTo(ResultCode.SUCCESS);
      }
      // The map doubles more than once for this one.
      Request large =
          modify("cn=device0," + TOP, change(2, "description", "e".repeat(20 * MEBIBYTE)));
      assertThat(directory.code(large)).isEqualTo(ResultCode.SUCCESS);
    }
  }

  @Test
  void shouldRefuseWhatDoesNotFitIntoTheLargestMapAndStillDelete() {
    try (SilentLog _ = new SilentLog(ChangeWriter.class.getName());
        UpdateFixture directory = new UpdateFixture();
        LmdbBackend _ = open(directory, 2 * MEBIBYTE)) {
      assertThat(directory.code(device(0, 500_000))).isEqualTo(ResultCode.SUCCESS);
      LdapResult refused = directory.result(device(1, 4 * MEBIBYTE));
      assertThat(refused.code()).isEqualTo(ResultCode.UNAVAILABLE);
      assertThat(refused.message()).contains("nyala.store.maximumMapSizeGiB");
      int count = 2;
      while (directory.code(device(count, 2000)) == ResultCode.SUCCESS) {
        count++;
      }
      for (int number = 2; number < count; number++) {
        Request delete = delete("cn=device" + number + "," + TOP);
        assertThat(directory.code(delete)).as("%s", number).isEqualTo(ResultCode.SUCCESS);
      }
      assertThat(directory.code(device(count, 2000))).isEqualTo(ResultCode.SUCCESS);
    }
  }
}
