package org.nyala.core.operation.update;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.LmdbSettings;

/** The size of an entry some of whose values are stored out of line. */
class EntrySizeTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final int MEMBERS = 1000;

  @TempDir Path directory;

  @Test
  void shouldCountWhatIsKeptApartOnlyToTheWhole() throws Exception {
    LmdbSettings settings = LmdbSettings.DEFAULT.withMapSizeBytes(1L << 26);
    Dn name = DnParser.parse(SCHEMA, "cn=group");
    LmdbBackend.create(directory, SCHEMA, List.of("cn=group"), List.of(), settings);
    try (LmdbBackend backend = LmdbBackend.open(directory, SCHEMA, settings);
        WriteTransaction write = backend.beginWrite()) {
      Entry group = new Entry(name);
      AttributeDescription member = AttributeDescription.parse(SCHEMA, "member");
      AttributeDescription description = AttributeDescription.parse(SCHEMA, "description");
      List<byte[]> members = new ArrayList<>();
      for (int i = 0; i < MEMBERS; i++) {
        members.add(bytes("cn=member" + i));
      }
      members.forEach(value -> group.add(member, value));
      group.add(AttributeDescription.parse(SCHEMA, "objectClass"), bytes("groupOfNames"));
      long id = write.apply(new ResolvedChange.Add(group));
      AttributeChange one =
          new AttributeChange.Updated(member, List.of(), List.of(bytes("cn=another")));
      AttributeChange text =
          new AttributeChange.Replaced(description, List.of(bytes("x".repeat(3000))));
      AttributeChange few = new AttributeChange.Replaced(member, members.subList(0, 1));
      assertThatCode(() -> check(write, id, 2000, 30_000, one)).doesNotThrowAnyException();
      assertThatThrownBy(() -> check(write, id, 2000, 10_000, one))
          .hasMessageContaining("at most 10000 are allowed");
      assertThatThrownBy(() -> check(write, id, 2000, 30_000, text))
          .hasMessageContaining("at most 2000 are allowed");
      assertThatCode(() -> check(write, id, 2000, 4000, few)).doesNotThrowAnyException();
      assertThatCode(() -> check(write, id, 4000, 30_000, text)).doesNotThrowAnyException();
    }
  }

  private static void check(
      WriteTransaction write, long id, int recordBytes, int bytes, AttributeChange change)
      throws LdapOperationException {
    new EntrySize(new ServerLimits.EntrySizes(recordBytes, bytes))
        .check(write, id, new EntryView(), List.of(change));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
