package org.nyala.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.Processes;
import org.nyala.process.ServedDirectory;

/** Tests objects of Java in the directory (RFC 2713), as applications keep them there by JNDI. */
class JavaObjectsTest {
  @TempDir Path folder;

  @Test
  void shouldKeepObjectsOfJava() throws Exception {
    String classes =
        Path.of(JavaObjects.class.getProtectionDomain().getCodeSource().getLocation().toURI())
            .toString();
    try (ServedDirectory served = ServedDirectory.start(folder, "clients.ldif")) {
      Processes.Result result =
          Processes.run(
                  folder,
                  Map.of(),
                  List.of(
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "-Dcom.sun.jndi.ldap.object.trustSerialData=true",
                      "-cp",
                      classes,
                      JavaObjects.class.getName(),
                      served.url() + "/ou=People,dc=example,dc=com",
                      "cn=admin,dc=example,dc=com",
                      "admin"))
              .shouldSucceed();

      assertThat(result.out().lines())
          .startsWith("12.50", "13.75", "org.example.Queue amqp://example.com/a")
          .last()
          .asString()
          .contains("description: one", "javaClassName: java.math.BigDecimal");
    }
  }
}
