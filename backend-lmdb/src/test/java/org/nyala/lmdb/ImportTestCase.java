package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.admin.StoreVerifier;
import org.nyala.lmdb.env.EntryProgress;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.ldif.ImportProgress;
import org.nyala.lmdb.ldif.ImportResult;
import org.nyala.lmdb.ldif.ImportSettings;
import org.nyala.lmdb.ldif.ImportSource;
import org.nyala.lmdb.ldif.LdifImport;

/** Imports of small LDIF files, and the resulting contents of the data directory. */
public abstract class ImportTestCase {
  public static final Schema SCHEMA = TestStore.SCHEMA;
  public static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-03-04T05:06:07.000008Z"));

  public static final String TOP =
      """
      dn: dc=example,dc=com
      objectClass: top
      objectClass: organization
      objectClass: dcObject
      dc: example
      o: Example

      """;

  @TempDir public Path directory;
  public Path data;

  @BeforeEach
  void nameData() {
    data = directory.resolve("data");
  }

  public static ImportSettings settings() {
    return ImportSettings.defaults(SCHEMA)
        .with(draft -> draft.lmdb = LmdbSettings.DEFAULT.withMapSizeBytes(1L << 30));
  }

  public ImportResult load(ImportSettings settings, String... ldifs) throws IOException {
    List<ImportSource> sources = new ArrayList<>();
    for (String ldif : ldifs) {
      Path file = Files.createTempFile(directory, "in", ".ldif");
      Files.writeString(file, ldif);
      sources.add(ImportSource.file(file));
    }
    return new LdifImport(
            ExtendedSchema.of(SCHEMA), settings, ImportProgress.SILENT, CLOCK, System::nanoTime)
        .run(sources, data);
  }

  public void assertSound() {
    assertThat(StoreVerifier.verifyValues(data, SCHEMA, 20, EntryProgress.NONE).problems())
        .isEmpty();
  }

  public static String person(String uid, String more) {
    return "dn: uid="
        + uid
        + ",dc=example,dc=com\nobjectClass: inetOrgPerson\nuid: "
        + uid
        + "\ncn: "
        + uid
        + "\nsn: "
        + uid
        + "\n"
        + more
        + "\n";
  }

  public static String randomDirectory(Random random, int entries) {
    StringBuilder ldif = new StringBuilder(TOP);
    List<String> parents = new ArrayList<>(List.of("dc=example,dc=com"));
    for (int i = 0; i < entries; i++) {
      String parent = parents.get(random.nextInt(parents.size()));
      if (random.nextInt(50) == 0) {
        String dn = "ou=Unit " + i + "," + parent;
        ldif.append("dn: ").append(dn).append("\nobjectClass: organizationalUnit\n\n");
        parents.add(dn);
        continue;
      }
      ldif.append("dn: uid=u").append(i).append(',').append(parent);
      ldif.append("\nobjectClass: inetOrgPerson\nuid: U").append(i);
      ldif.append("\ncn: ").append(words(random)).append(" x").append(i);
      ldif.append("\nsn: ").append(words(random)).append("\nmail: ").append(i).append("@x.org\n");
      if (random.nextInt(4) == 0) {
        ldif.append("cn;lang-fr: ").append(words(random)).append('\n');
      }
      if (random.nextInt(4) == 0) {
        ldif.append("description:: w6TDtsO8\nuserPassword: {SSHA}").append(i).append('\n');
      }
      ldif.append('\n');
    }
    return ldif.toString();
  }

  private static String words(Random random) {
    return Integer.toString(random.nextInt(1000), 26) + " " + random.nextInt(20);
  }
}
