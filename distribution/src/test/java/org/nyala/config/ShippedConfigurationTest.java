package org.nyala.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.build.ShippedConfiguration;
import org.nyala.error.Setting;
import org.nyala.sasl.TestKeytab;

/** Checks that the shipped configuration names every key with its default. */
class ShippedConfigurationTest extends ConfigurationTestCase {
  /** Writes the file as the build assembles it from the folders of the server and extensions. */
  private Path shipped() throws IOException {
    return Files.write(folder.resolve("shipped.conf"), ShippedConfiguration.lines(Path.of("..")));
  }

  @Test
  void shouldShipExactlyTheDefaults() throws IOException {
    NyalaConfig shipped = ConfigurationFile.read(shipped(), folder);
    NyalaConfig defaults = read("");
    assertThat(shipped)
        .usingRecursiveComparison()
        .ignoringFields("indexes", "settings")
        .isEqualTo(defaults);
    assertThat(defaults.indexes()).isEmpty();
  }

  @Test
  void shouldDocumentEveryKeyInTheShippedFile() throws IOException {
    String text = Files.readString(shipped());
    Config shipped = ConfigFactory.parseFile(shipped().toFile());
    Set<String> undocumented = new TreeSet<>();
    for (String key : ConfigurationFile.keys()) {
      String name = key.substring(key.lastIndexOf('.') + 1);
      boolean commentedOut = text.contains("# " + name + " = ");
      if (!shipped.hasPath(key) && !commentedOut) {
        undocumented.add(key);
      }
    }
    assertThat(undocumented).isEmpty();
    assertThat(ConfigurationFile.keys()).hasSizeGreaterThan(30);
  }

  @Test
  void shouldShipTheDefaultOfEveryKey() throws IOException {
    Map<String, Setting> defaults = read("").settings().all();
    ConfigurationFile.read(shipped(), folder)
        .settings()
        .all()
        .forEach(
            (key, setting) -> {
              if (!key.startsWith("nyala.indexes.")) {
                assertThat(setting.value())
                    .as("%s at %s", key, setting.origin())
                    .isEqualTo(defaults.get(key).value());
              }
            });
    assertThat(defaults).allSatisfy((_, setting) -> assertThat(setting.isDefault()).isTrue());
  }

  @ParameterizedTest
  @ValueSource(strings = {"password", "passwordFile"})
  void shouldReadTheShippedFileWithEveryKeyInIt(String secret) throws IOException {
    Files.createDirectory(folder.resolve("conf"));
    for (String file :
        List.of(
            "root-password",
            "server-password",
            "replica-password",
            "replica-key-password",
            "management-password",
            "http-password",
            "http-admin-password",
            "jmx-admin-password",
            "jmx-monitor-password")) {
      Files.writeString(folder.resolve("conf").resolve(file), "secret\n");
    }
    Files.writeString(folder.resolve("conf/sasl-secret"), "0123456789".repeat(4) + "\n");
    TestKeytab.write(folder.resolve("conf/ldap.keytab"), "ldap/ldap.example.com@EXAMPLE.COM");
    Files.writeString(folder.resolve("conf/krb5.conf"), "[libdefaults]\n");
    StringBuilder text = new StringBuilder();
    int uncommented = 0;
    Set<String> names = new TreeSet<>();
    ConfigurationFile.keys().forEach(key -> names.add(key.substring(key.lastIndexOf('.') + 1)));
    names.remove(secret.equals("password") ? "passwordFile" : "password");
    names.remove(secret.equals("password") ? "secretFile" : "secret");
    names.remove("rules"); // It takes the place of other keys.
    for (String line : Files.readAllLines(shipped())) {
      String bare = line.strip();
      boolean isKey =
          bare.startsWith("# ") && names.stream().anyMatch(n -> bare.startsWith("# " + n + " = "));
      uncommented += isKey ? 1 : 0;
      // The placeholder of a hash is not a hash.
      text.append(isKey ? bare.substring(2).replaceAll("\\{[A-Z0-9]+\\}\\.\\.\\.", "secret") : line)
          .append('\n');
    }
    assertThat(uncommented).isGreaterThan(2);
    assertThat(read(text.toString()).root()).isPresent();
  }
}
