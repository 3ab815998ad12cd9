package org.nyala.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.nyala.core.limits.Keys;
import org.nyala.netty.tls.ClientCertificates;
import org.nyala.netty.tls.ClientCertificates.Demand;
import org.nyala.netty.tls.ClientCertificates.Revocation;

/** Reads the demand for certificates of clients. Stateless. */
final class ClientCertificateConfiguration {
  private static final String NONE = "none";
  private static final String DEMAND = "clientCertificate";
  private static final String REVOCATION = "clientRevocation";

  private ClientCertificateConfiguration() {}

  /**
   * Reads it from the section of TLS.
   *
   * @param isPossible true if connections can be encrypted
   * @throws org.nyala.error.ConfigurationException also if it demands what it names no files for
   */
  static ClientCertificates read(ConfigSection section, boolean isPossible) {
    Demand demand = Demand.valueOf(word(section, DEMAND, List.of(NONE, "optional", "required")));
    Revocation revocation =
        Revocation.valueOf(word(section, REVOCATION, List.of(NONE, "crl", "ocsp")));
    Path authorities = section.path("clientCa").orElse(null);
    Path lists = section.path("clientCrl").orElse(null);
    if (demand != Demand.NONE && authorities == null) {
      throw section.problem(DEMAND, "needs the authorities to trust: set nyala.tls.clientCa");
    }
    if (demand != Demand.NONE && !isPossible) {
      throw section.problem(DEMAND, "needs a certificate of the server: set nyala.tls.certificate");
    }
    if (revocation == Revocation.CRL && lists == null) {
      throw section.problem(REVOCATION, "needs the revocation lists: set nyala.tls.clientCrl");
    }
    if (demand != Demand.NONE && revocation == Revocation.NONE && lists != null) {
      throw section.problem(
          "clientCrl", "has no effect: set nyala.tls.clientRevocation, or remove it");
    }
    return Keys.read(ClientCertificates.class, section);
  }

  private static String word(ConfigSection section, String key, List<String> offered) {
    return section.word(key, NONE, offered).toUpperCase(Locale.ROOT);
  }
}
