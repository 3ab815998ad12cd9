package org.nyala.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.nyala.config.ImportConfiguration;
import org.nyala.config.NyalaConfig;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.error.Installation;
import org.nyala.lmdb.ldif.ImportProgress;
import org.nyala.lmdb.ldif.ImportSource;
import org.nyala.lmdb.ldif.LdifImport;

/**
 * A data directory of made-up people in a temporary folder, deleted when it is closed.
 *
 * <p>Immutable.
 *
 * @param folder the temporary folder
 */
public record SampleData(Path folder) implements AutoCloseable {
  /** Creates the directory with the configured indexes. */
  public static SampleData create(int people, NyalaConfig configuration) throws IOException {
    SampleData sample = new SampleData(Files.createTempDirectory("nyala-sample-"));
    boolean complete = false;
    try {
      sample.fill(people, configuration);
      complete = true;
      return sample;
    } finally {
      if (!complete) {
        sample.close();
      }
    }
  }

  private void fill(int people, NyalaConfig configuration) throws IOException {
    Path ldif = folder.resolve("sample.ldif");
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(ldif))) {
      new SampleDirectory(people, SampleDirectory.DEFAULT_SEED).writeTo(out);
    }
    Schema schema = configuration.schema(Installation.current());
    new LdifImport(
            ExtendedSchema.of(schema),
            ImportConfiguration.settings(configuration, schema),
            ImportProgress.SILENT,
            InstantSource.system(),
            System::nanoTime)
        .run(List.of(ImportSource.file(ldif)), data());
    Files.delete(ldif);
  }

  public Path data() {
    return folder.resolve("data");
  }

  @Override
  public void close() throws IOException {
    List<Path> files;
    try (Stream<Path> walk = Files.walk(folder)) {
      files = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
  }
}
