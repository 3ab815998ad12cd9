package org.nyala.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Reads configurations from files. */
abstract class ConfigurationTestCase {
  @TempDir Path folder;

  NyalaConfig read(String text) throws IOException {
    return ConfigurationFile.read(write(text), folder);
  }

  Path write(String text) throws IOException {
    return Files.writeString(folder.resolve("nyala.conf"), text);
  }
}
