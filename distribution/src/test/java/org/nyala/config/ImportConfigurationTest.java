package org.nyala.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.error.ConfigurationException;
import org.nyala.lmdb.format.DefaultIndexes;

class ImportConfigurationTest {
  private static final Schema SCHEMA = SchemaLoader.standard();

  @Test
  void shouldShipTheIndexesThatTheProgramChoosesByItself() {
    NyalaConfig shipped =
        ConfigurationFile.read(Path.of("src/packaging/conf/nyala.conf"), Path.of(""));
    assertThat(ImportConfiguration.settings(shipped, SCHEMA).indexes())
        .containsExactlyInAnyOrderElementsOf(DefaultIndexes.of(SCHEMA));
    assertThat(shipped.indexes()).isPresent();
  }

  @Test
  void shouldNameTheIndexThatCannotBe() {
    assertThatThrownBy(
            () ->
                ImportConfiguration.indexes(Map.of("nobody", List.of("eq")), Settings.NONE, SCHEMA))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("nyala.indexes.nobody: ");
    assertThatThrownBy(
            () ->
                ImportConfiguration.indexes(
                    Map.of("jpegPhoto", List.of("sub")), Settings.NONE, SCHEMA))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("nyala.indexes.jpegPhoto: ");
    assertThatThrownBy(
            () ->
                ImportConfiguration.indexes(
                    Map.of("entryDN", List.of("eq")), Settings.NONE, SCHEMA))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("nyala.indexes.entryDN: entryDN is computed");
  }
}
