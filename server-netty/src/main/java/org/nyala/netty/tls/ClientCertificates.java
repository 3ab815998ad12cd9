package org.nyala.netty.tls;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;

/**
 * The settings of clients' certificates. Each component is a configuration key.
 *
 * <p>Immutable.
 *
 * @param demand says whether clients are asked for one
 * @param authorities a file of certificates in PEM, or a folder of such files: those that may vouch
 *     for clients; null only if none is asked for
 * @param revocation says how revoked ones are known
 * @param lists a file with revocation lists in PEM or one in DER, or a folder of such files; null
 *     for none
 * @param isHard true if a certificate is refused when nobody knows whether it is revoked
 * @param timeoutSeconds the time for the answers of OCSP responders about one chain, at least 1
 */
public record ClientCertificates(
    @Key(name = "clientCertificate") Demand demand,
    @Key(name = "clientCa") @Nullable Path authorities,
    @Key(name = "clientRevocation") Revocation revocation,
    @Key(name = "clientCrl") @Nullable Path lists,
    @Key(name = "clientRevocationHard", on = true) boolean isHard,
    @Key(name = "clientRevocationTimeoutSeconds", usual = 3, from = 1, to = 60)
        int timeoutSeconds) {
  /** The settings of a server that asks for none. */
  public static final ClientCertificates NONE = Keys.defaults(ClientCertificates.class);

  public enum Demand {
    /** Clients are not asked. */
    NONE,
    /** Clients are asked, and go on without one; a bad one ends the handshake. */
    OPTIONAL,
    /** A client without one cannot come in. */
    REQUIRED
  }

  /** The sources of what is revoked. */
  public enum Revocation {
    /** Nothing is asked. */
    NONE,
    /** Lists in files. */
    CRL,
    /** The responders that certificates name, then lists in files. */
    OCSP
  }

  /** Checks that the files are there which the demand takes. */
  public ClientCertificates {
    if (demand != Demand.NONE && authorities == null
        || revocation == Revocation.CRL && lists == null
        || timeoutSeconds < 1) {
      throw new IllegalArgumentException(demand + ", " + revocation + ", " + timeoutSeconds + " s");
    }
  }

  /** Returns whether clients are asked for a certificate. */
  public boolean isAsked() {
    return demand != Demand.NONE;
  }
}
