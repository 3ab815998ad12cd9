package org.nyala.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldif.LDIFReader;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;
import org.nyala.core.schema.load.DefinitionKind;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.schema.load.OwnSchema;
import org.nyala.core.schema.load.SchemaFolders;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.error.ExitCode;
import org.nyala.lmdb.ldif.ImportResult;
import org.nyala.lmdb.ldif.ImportSettings;
import org.nyala.lmdb.ldif.ImportSource;
import org.nyala.lmdb.ldif.LdifImport;
import org.nyala.process.LocalCommands;

/** Moves definitions that clients have added to another data directory. */
class SchemaExportTest extends SchemaChangeTestCase {
  private final LocalCommands nyala = new LocalCommands();

  @Test
  void shouldWriteAddedDefinitionsForAnotherDataDirectory() throws Exception {
    String described = COLOUR.replace(" EQUALITY", " DESC 'f\u00e4rbt' EQUALITY");
    connection.modify(
        SCHEMA,
        new Modification(ModificationType.ADD, TYPES, described),
        new Modification(ModificationType.ADD, CLASSES, PAINTED));
    addTop("objectClass: painted", "colour: Red");
    stop();
    String data = folder.resolve("data").toString();
    Path ldif = folder.resolve("out.ldif");
    assertThat(nyala.run("export", "--data", data, "-o", ldif.toString())).isZero();
    assertThat(nyala.err()).contains("2 definitions").contains("--schema");
    assertThat(nyala.run("export", "--data", data, "-o", ldif.toString(), "--schema", "added.txt"))
        .isEqualTo(ExitCode.USAGE);
    for (String name : new String[] {"added.schema", "added.ldif"}) {
      Path conf = Files.createDirectories(folder.resolve("conf-" + name));
      Path added = conf.resolve(name);
      Schema schema = exported(data, ldif, added);
      assertThat(DefinitionKind.ATTRIBUTE_TYPE.describe(schema, COLOUR_OID)).isEqualTo(described);
      assertThat(DefinitionKind.OBJECT_CLASS.describe(schema, PAINTED_OID)).isEqualTo(PAINTED);
      ImportResult result =
          new LdifImport(
                  ExtendedSchema.of(schema),
                  ImportSettings.defaults(schema),
                  _ -> {},
                  InstantSource.system(),
                  System::nanoTime)
              .run(List.of(ImportSource.file(ldif)), folder.resolve("restored-" + name));
      assertThat(result.entriesRejected()).isZero();
      assertThat(result.entriesImported()).isEqualTo(1);
    }
    Files.move(folder.resolve("data"), folder.resolve("former"));
    serve();
    addOverLdap(folder.resolve("conf-added.ldif/added.ldif"));
  }

  /** Returns the schema of an installation with the file that an export wrote. */
  private Schema exported(String data, Path ldif, Path added) throws Exception {
    assertThat(
            nyala.run(
                "export", "--data", data, "-o", ldif.toString(), "--schema", added.toString()))
        .isZero();
    assertThat(nyala.err()).isEmpty();
    Path conf = added.getParent();
    for (String name : SchemaLoader.bundledNames()) {
      try (InputStream in = SchemaLoader.class.getResourceAsStream(name)) {
        if (!name.equals("system.schema")) {
          Files.copy(in, conf.resolve(name));
        }
      }
    }
    return SchemaFolders.load(conf, OwnSchema.NONE, SecretTypes.DEFAULT, _ -> {});
  }

  private void addOverLdap(Path file) throws Exception {
    try (LDIFReader reader = new LDIFReader(file.toFile())) {
      reader.readChangeRecord().processChange(connection);
    }
    assertThat(shown(CLASSES)).contains(PAINTED);
    addTop("objectClass: painted", "colour: Red");
  }
}
