package org.nyala.lmdb;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.ldif.LdifWriter;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.export.LdifExport;

/** The contents of a data directory, as text. */
public final class Exported {
  private Exported() {}

  /** Returns them as they are exported, a line for each value. */
  public static String ldif(Path data) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (LmdbBackend backend =
            LmdbBackend.open(
                data,
                TestStore.SCHEMA,
                LmdbSettings.DEFAULT.withMapSizeBytes(1L << 30).asReadOnly());
        LdifWriter writer = new LdifWriter(bytes, LdifWriter.NO_FOLDING)) {
      new LdifExport(
              backend, TestStore.SCHEMA, CompiledFilter.Constant.TRUE, writer, 7, System::nanoTime)
          .run(null);
    }
    return bytes.toString(StandardCharsets.ISO_8859_1);
  }

  /** Returns the lines that name the entries. */
  public static String names(Path data) throws IOException {
    return String.join("\n", ldif(data).lines().filter(line -> line.startsWith("dn:")).toList());
  }
}
