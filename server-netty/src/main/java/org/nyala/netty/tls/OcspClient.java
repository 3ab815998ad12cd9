package org.nyala.netty.tls;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.bouncycastle.asn1.ASN1IA5String;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.DERNull;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.DERSequence;
import org.bouncycastle.asn1.ocsp.CertID;
import org.bouncycastle.asn1.ocsp.OCSPRequest;
import org.bouncycastle.asn1.ocsp.Request;
import org.bouncycastle.asn1.ocsp.TBSRequest;
import org.bouncycastle.asn1.x509.AccessDescription;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.AuthorityInformationAccess;
import org.bouncycastle.asn1.x509.Extensions;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.jspecify.annotations.Nullable;

/**
 * Asks the responders that certificates name whether these are revoked (RFC 6960). The JDK would do
 * so as well, but with a time-out for each read only, in settings of the whole process.
 *
 * <p>Thread-safe.
 */
final class OcspClient {
  private static final String ACCESS = "1.3.6.1.5.5.7.1.1";
  private static final ASN1ObjectIdentifier SHA1 = new ASN1ObjectIdentifier("1.3.14.3.2.26");
  private static final @Nullable Extensions NONE = null;

  /** The most bytes of an answer: more than any with a certificate of its signer. */
  private static final int MOST_BYTES = 64 << 10;

  /** The most questions at once; further ones are not asked. */
  private static final int MOST_AT_ONCE = 256;

  /** The same of one responder: one that is dead does not take the places of others. */
  static final int MOST_OF_RESPONDER = 32;

  private final Semaphore places = new Semaphore(MOST_AT_ONCE);
  private final Map<String, Integer> asked = new ConcurrentHashMap<>();

  /**
   * A question that was asked, or a failure to ask it. Thread-safe.
   *
   * @param responder the name of the responder; empty if it could not be asked
   * @param answer its answer, not verified
   * @param deadline the value of {@link System#nanoTime} until which the answer must be there
   */
  record Question(String responder, Future<byte[]> answer, long deadline) {
    /**
     * Waits for the answer; never on an event loop.
     *
     * @throws IOException if there is none in time; the message says why, as a predicate
     */
    byte[] await() throws IOException {
      return OcspClient.await(this);
    }

    /** Ends the question if there is no answer yet. */
    void cancel() {
      boolean _ = answer.cancel(true);
    }
  }

  /**
   * Asks, and does not wait.
   *
   * @param deadline the value of {@link System#nanoTime} until which the answer must be there
   */
  Question ask(X509Certificate certificate, X509Certificate issuer, long deadline) {
    try {
      URI responder = responder(certificate);
      Future<byte[]> answer = start(responder, request(certificate, issuer), deadline);
      return new Question(responder.getHost(), answer, deadline);
    } catch (IOException e) {
      return new Question("", CompletableFuture.failedFuture(e), deadline);
    }
  }

  private Future<byte[]> start(URI responder, byte[] request, long deadline) throws IOException {
    String host = responder.getHost().toLowerCase(Locale.ROOT);
    take(host);
    long nanos = Math.max(1, deadline - System.nanoTime());
    int millis = (int) TimeUnit.NANOSECONDS.toMillis(nanos) + 1;
    FutureTask<byte[]> answer = new FutureTask<>(() -> post(responder, request, millis));
    // Time-outs of reads start anew with every byte: this thread is interrupted instead.
    Thread _ =
        Thread.ofVirtual()
            .name("nyala-ocsp")
            .start(
                () -> {
                  try {
                    answer.run();
                  } finally {
                    places.release();
                    leave(host);
                  }
                });
    return answer;
  }

  /** Takes a place. */
  private void take(String host) throws IOException {
    boolean isBusy = asked.merge(host, 1, Integer::sum) > MOST_OF_RESPONDER;
    if (isBusy || !places.tryAcquire()) {
      leave(host);
      throw new IOException(
          "too many certificates are checked at once" + (isBusy ? " by " + host : ""));
    }
  }

  private void leave(String host) {
    Integer _ = asked.computeIfPresent(host, (_, count) -> count == 1 ? null : count - 1);
  }

  private static byte[] await(Question question) throws IOException {
    String host = question.responder;
    long nanos = Math.max(1, question.deadline - System.nanoTime());
    try {
      return question.answer.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new IOException(host + " does not answer in time", e);
    } catch (ExecutionException e) {
      if (host.isEmpty() && e.getCause() instanceof IOException unasked) {
        throw unasked;
      }
      if (e.getCause() instanceof SocketTimeoutException) {
        throw new IOException(host + " does not answer in time", e);
      }
      throw new IOException(
          String.format(Locale.ROOT, "%s cannot be asked (%s)", host, e.getCause()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the server ends", e);
    } finally {
      question.cancel();
    }
  }

  private static byte[] post(URI responder, byte[] request, int millis) throws IOException {
    HttpURLConnection http = (HttpURLConnection) responder.toURL().openConnection(Proxy.NO_PROXY);
    try {
      http.setConnectTimeout(millis);
      http.setReadTimeout(millis);
      http.setInstanceFollowRedirects(false);
      http.setUseCaches(false);
      http.setDoOutput(true);
      http.setRequestMethod("POST");
      http.setRequestProperty("Content-Type", "application/ocsp-request");
      http.setRequestProperty("Accept", "application/ocsp-response");
      http.setFixedLengthStreamingMode(request.length);
      try (OutputStream out = http.getOutputStream()) {
        out.write(request);
      }
      if (http.getResponseCode() != HttpURLConnection.HTTP_OK) {
        throw new IOException("HTTP status " + http.getResponseCode());
      }
      try (InputStream in = http.getInputStream()) {
        byte[] answer = in.readNBytes(MOST_BYTES + 1);
        if (answer.length > MOST_BYTES) {
          throw new IOException("the answer is too long");
        }
        return answer;
      }
    } finally {
      http.disconnect();
    }
  }

  /** Returns the address that a certificate names; only over HTTP, as responses are signed. */
  private static URI responder(X509Certificate certificate) throws IOException {
    byte[] extension = certificate.getExtensionValue(ACCESS);
    try {
      if (extension != null) {
        byte[] content = ASN1OctetString.getInstance(extension).getOctets();
        for (AccessDescription each :
            AuthorityInformationAccess.getInstance(content).getAccessDescriptions()) {
          GeneralName place = each.getAccessLocation();
          if (each.getAccessMethod().equals(AccessDescription.id_ad_ocsp)
              && place.getTagNo() == GeneralName.uniformResourceIdentifier) {
            URI address = URI.create(ASN1IA5String.getInstance(place.getName()).getString());
            if ("http".equalsIgnoreCase(address.getScheme()) && address.getHost() != null) {
              return address;
            }
          }
        }
      }
    } catch (RuntimeException e) {
      throw new IOException("the address of its OCSP responder is damaged", e);
    }
    throw new IOException("it names no OCSP responder");
  }

  /** Returns a question without a nonce, which many responders ignore. */
  private static byte[] request(X509Certificate certificate, X509Certificate issuer)
      throws IOException {
    SubjectPublicKeyInfo key = SubjectPublicKeyInfo.getInstance(issuer.getPublicKey().getEncoded());
    CertID id =
        new CertID(
            new AlgorithmIdentifier(SHA1, DERNull.INSTANCE),
            new DEROctetString(sha1(issuer.getSubjectX500Principal().getEncoded())),
            new DEROctetString(sha1(key.getPublicKeyData().getBytes())),
            new ASN1Integer(certificate.getSerialNumber()));
    TBSRequest content = new TBSRequest(null, new DERSequence(new Request(id, NONE)), NONE);
    return new OCSPRequest(content, null).getEncoded();
  }

  /** Hashes what names an issuer, as responders expect it; the security of nothing rests on it. */
  private static byte[] sha1(byte[] name) throws IOException {
    try {
      return MessageDigest.getInstance("SHA-1").digest(name);
    } catch (GeneralSecurityException e) {
      throw new IOException("SHA-1 is missing", e);
    }
  }
}
