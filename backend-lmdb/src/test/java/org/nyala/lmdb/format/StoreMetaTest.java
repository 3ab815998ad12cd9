package org.nyala.lmdb.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lmdbjava.Txn;
import org.nyala.core.schema.Normalizer;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaAdditions;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.StoreException;

class StoreMetaTest {
  private static final Schema IGNORING_CASE =
      schema("caseIgnoreMatch", "caseIgnoreSubstringsMatch");

  @TempDir Path directory;

  private static Schema schema(String equality, String substrings) {
    String nickname =
        "( 1.3.6.1.4.1.99999.1 NAME 'nickname' EQUALITY "
            + equality
            + " SUBSTR "
            + substrings
            + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )";
    return SchemaAdditions.extend(TestStore.SCHEMA, List.of(nickname), List.of());
  }

  @BeforeEach
  void createStore() {
    List<IndexDefinition> indexes =
        List.of(IndexDefinition.parse(IGNORING_CASE, "nickname", "eq,sub,pres"));
    LmdbBackend.create(directory, IGNORING_CASE, List.of("dc=x"), indexes, TestStore.SETTINGS);
  }

  private LmdbBackend open(Schema schema) {
    return LmdbBackend.open(directory, schema, TestStore.SETTINGS);
  }

  private void put(String key, String value) {
    try (LmdbEnvironment environment = LmdbEnvironment.open(directory, TestStore.SETTINGS);
        Txn<ByteBuffer> txn = environment.beginWrite()) {
      environment.meta().put(txn, text(key), text(value));
      txn.commit();
    }
  }

  private static ByteBuffer text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  private void assertRefused(Schema schema, String... parts) {
    assertThatThrownBy(() -> open(schema).close())
        .isInstanceOf(StoreException.class)
        .hasMessageContainingAll(parts)
        .hasMessageContaining("import the data again");
  }

  @Test
  void shouldOpenWithTheRulesThatTheIndexesWereBuiltBy() {
    try (LmdbBackend backend = open(schema("2.5.13.2", "2.5.13.4"))) {
      assertThat(backend.indexes()).hasToString("[nickname:eq,sub,pres]");
    }
  }

  @Test
  void shouldRefuseOtherMatchingRulesThanTheIndexesWereBuiltBy() {
    assertRefused(
        schema("caseExactMatch", "caseIgnoreSubstringsMatch"),
        "the index of nickname was built by eq:2.5.13.2:" + Normalizer.VERSION,
        "would be built by eq:2.5.13.5:" + Normalizer.VERSION);
    assertRefused(
        schema("caseIgnoreMatch", "caseExactSubstringsMatch"),
        "the index of nickname was built by sub:2.5.13.4:" + Normalizer.VERSION);
    open(IGNORING_CASE).close();
  }

  @Test
  void shouldNameAllAttributeTypesThatAreNotDefinedAndTheFoldersThatWereSearched() {
    put("attribute/00001", "shoeSize;lang-de");
    put("attribute/00002", "cn");
    put("work/hatSize/eq", "building,1,eq:2.5.13.14:1");
    for (boolean hasPlaces : new boolean[] {true, false}) {
      Schema schema =
          hasPlaces
              ? TestStore.SCHEMA.withPlaces(List.of("/etc/x", "/etc/y"), Map.of())
              : TestStore.SCHEMA;
      assertThatThrownBy(() -> open(schema).close())
          .isInstanceOf(StoreException.class)
          .hasMessage(
              "the store in "
                  + directory
                  + " has attribute types that the schema does not define: hatSize, nickname, shoeSize; the"
                  + " data is unchanged; the schema files"
                  + (hasPlaces ? " (searched: /etc/x, /etc/y)" : "")
                  + " lack these definitions: put them back, name the folder of the files that have"
                  + " them in nyala.schema.folders, or use the configuration that the data was"
                  + " imported with");
    }
  }

  @Test
  void shouldRefuseAnotherFirstNameOfAnAttributeOfEntries() {
    put("attribute/00001", "commonName");
    assertThatThrownBy(() -> open(IGNORING_CASE).close())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(
            " have the attribute 'commonName', which the schema now calls 'cn': give it its first"
                + " name back; or export with the schema from before");
  }

  @Test
  void shouldTakeAFirstNameThatIsSpeltInOtherCases() {
    put("attribute/00001", "CN");
    assertThatCode(() -> open(IGNORING_CASE).close()).doesNotThrowAnyException();
  }

  @Test
  void shouldNameTheFilesFromWhichMissingDefinitionsCame() {
    put("attribute/00001", "shoeSize");
    put("origins", "1.2.3 shoeSize /etc/a folder/shoes.schema:7\nnonsense\n");
    assertThatThrownBy(() -> open(IGNORING_CASE).close())
        .hasMessageContaining(
            "does not define: shoeSize (1.2.3, which was in /etc/a folder/shoes.schema:7); the data");
  }

  @Test
  void shouldRefuseADamagedTableOfAttributes() {
    String[][] damaged = {
      {"00001", "cn;"}, {"00001", "cn;a_b"}, {"00001", "cn;a;a"}, {"00002", "cn"}
    };
    for (String[] row : damaged) {
      put("attribute/" + row[0], row[1]);
      assertThatThrownBy(() -> open(IGNORING_CASE).close())
          .isInstanceOf(StoreException.class)
          .hasMessage(
              "the store in " + directory + " has a damaged attribute table at number " + row[0]);
      put("attribute/" + row[0], "cn");
    }
  }

  @Test
  void shouldRefuseIndexesOfAnotherNormaliser() {
    put("index/nickname", "eq:2.5.13.2:0");
    assertRefused(IGNORING_CASE, "the index of nickname was built by eq:2.5.13.2:0");
  }

  @Test
  void shouldRefuseDamagedDefinitions() {
    for (String damaged : List.of("", "eq", "eq:", "x:2.5.13.2:1", "eq:2.5.13.2:1,", "pres:1")) {
      put("index/nickname", damaged);
      assertRefused(IGNORING_CASE, "the index of nickname ");
    }
  }

  @Test
  void shouldRefuseNamesOfAnotherNormaliserAndAnotherFormat() {
    put("normalizer", "0");
    assertRefused(IGNORING_CASE, "built by version 0 of the normalisers");
    put("version", "1");
    assertRefused(IGNORING_CASE, "has format 1");
  }
}
