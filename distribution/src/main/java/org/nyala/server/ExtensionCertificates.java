package org.nyala.server;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.nyala.config.ConfiguredExtension;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.extension.ExtensionSource.NamedCertificate;
import org.nyala.netty.tls.TlsPort;
import org.nyala.netty.tls.TlsStatus;

/**
 * The state of the certificates that extensions use, as those between members of a cluster. Their
 * files are read at most once a minute. Thread-safe.
 */
final class ExtensionCertificates {
  private static final long MILLIS = TimeUnit.MINUTES.toMillis(1);

  private final List<ConfiguredExtension> extensions;
  private final InstantSource clock;
  private List<TlsStatus> last = List.of();
  private Instant next = Instant.MIN;

  ExtensionCertificates(List<ConfiguredExtension> extensions, InstantSource clock) {
    this.extensions = List.copyOf(extensions);
    this.clock = clock;
  }

  /** Returns the state of each certificate, or of files that cannot be used. */
  synchronized List<TlsStatus> look() {
    Instant now = clock.instant();
    // A clock that was set back must not keep the state for longer.
    if (!now.isBefore(next) || now.plusMillis(MILLIS).isBefore(next)) {
      last = read(now);
      next = now.plusMillis(MILLIS);
    }
    return last;
  }

  private List<TlsStatus> read(Instant now) {
    List<TlsStatus> found = new ArrayList<>();
    for (ConfiguredExtension each : extensions) {
      try {
        each.certificates().forEach(certificate -> found.add(status(certificate, now)));
      } catch (ConfigurationException e) {
        found.add(new TlsStatus(Instant.MAX, "", ErrorMessages.line(e)));
      }
    }
    return found;
  }

  /** Describes a certificate: that of an authority serves beyond its end. */
  private static TlsStatus status(NamedCertificate named, Instant now) {
    TlsPort.Certified certificate = TlsPort.Certified.of(named.files(), named.certificate());
    String which = certificate.files() + " (" + certificate.subject() + ")";
    boolean isOwn = !named.host().isEmpty();
    String failure = "";
    if (isOwn && now.isAfter(certificate.end())) {
      failure = which + " has ended on " + certificate.end();
    } else if (isOwn && now.isBefore(certificate.begin())) {
      failure = which + " is not valid before " + certificate.begin();
    }
    return new TlsStatus(certificate.end(), which, failure);
  }
}
