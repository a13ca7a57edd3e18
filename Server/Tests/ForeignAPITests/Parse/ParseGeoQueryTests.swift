import Domain
import Foundation
import OkaeriWire
import Testing

@Suite("Positions in queries of Parse")
struct ParseGeoQueryTests {
    private static let positions = [
        ("tokyo", 35.681, 139.767), ("yokohama", 35.444, 139.638), ("osaka", 34.702, 135.495),
        ("suva", -18.14, 178.44), ("apia", -13.83, -171.76),
    ]
    private static let tokyo = #"{"__type":"GeoPoint","latitude":35.681,"longitude":139.767}"#
    private static let suva = #"{"__type":"GeoPoint","latitude":-18.14,"longitude":178.44}"#

    private func world() async throws -> ForeignWorld {
        let world = try await ForeignWorld()
        let readable = #""ACL":{"*":{"read":true}}"#
        for (name, latitude, longitude) in Self.positions {
            let position = #"{"__type":"GeoPoint","latitude":\#(latitude),"longitude":\#(longitude)}"#
            _ = try await world.parseUser(name, #","position":\#(position),"team":"\#(name.prefix(1))",\#(readable)"#)
        }
        _ = try await world.parseUser("nowhere", ",\(readable)")
        _ = try await world.parseUser("elsewhere", #","position":"Tokyo",\#(readable)"#)
        _ = try await world.parseUser("hidden", #","position":\#(Self.tokyo)"#)
        return world
    }

    private func find(_ world: ForeignWorld, _ condition: String, _ more: String = "") async throws -> Answer {
        let encoded = condition.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return try await world.parse("GET", "/users?where=\(encoded)\(more)")
    }

    private func names(_ answer: Answer) throws -> [String] {
        guard answer.status == 200 else { throw Missing(description: answer.text) }
        return try answer.results().compactMap { if case .string(let name)? = $0["username"] { name } else { nil } }
    }

    private static let near = #"{"position":{"$nearSphere":\#(tokyo)}}"#
    private static let questions: [(String, [String])] = [
        (near, ["tokyo", "yokohama", "osaka", "suva", "apia"]),
        (#"{"position":{"$nearSphere":\#(tokyo),"$maxDistanceInKilometers":100}}"#, ["tokyo", "yokohama"]),
        (#"{"position":{"$nearSphere":\#(tokyo),"$maxDistanceInMiles":20}}"#, ["tokyo", "yokohama"]),
        (#"{"position":{"$nearSphere":\#(tokyo),"$maxDistance":0.07}}"#, ["tokyo", "yokohama", "osaka"]),
        (#"{"position":{"$nearSphere":\#(tokyo),"$maxDistanceInRadians":0}}"#, ["tokyo"]),
        (#"{"position":{"$nearSphere":\#(suva),"$maxDistanceInKilometers":1300}}"#, ["suva", "apia"]),
        (#"{"position":{"$nearSphere":\#(suva),"$maxDistanceInKilometers":1300},"team":"a"}"#, ["apia"]),
        (#"{"position":{"$nearSphere":\#(tokyo)},"username":{"$regex":"[mu].*a$"}}"#, ["yokohama", "suva"]),
    ]

    @Test("find who is near, the nearest first, on both sides of the date line", arguments: questions)
    func nearest(condition: String, expected: [String]) async throws {
        #expect(try names(try await find(try await world(), condition)) == expected)
    }

    private static let southwest = #"{"__type":"GeoPoint","latitude":34.5,"longitude":135}"#
    private static let northeast = #"{"__type":"GeoPoint","latitude":35.5,"longitude":139.7}"#
    private static let around = #"{"position":{"$geoWithin":{"$centerSphere":[[139.767,35.681],0.07]}}}"#
    private static let areas: [(String, [String])] = [
        (#"{"position":{"$within":{"$box":[\#(southwest),\#(northeast)]}}}"#, ["osaka", "yokohama"]),
        (around, ["osaka", "tokyo", "yokohama"]),
        (#"{"position":{"$geoWithin":{"$centerSphere":[\#(suva),0.2]}}}"#, ["apia", "suva"]),
        (#"{"position":{"$nearSphere":\#(tokyo),"$maxDistance":0.07}}"#, ["osaka", "tokyo", "yokohama"]),
        (#"{"$nor":[\#(around)],"position":{"$exists":true}}"#, ["apia", "elsewhere", "suva"]),
    ]

    @Test("find who is within a box or a circle, in any order", arguments: areas)
    func within(condition: String, expected: [String]) async throws {
        let world = try await world()
        #expect(try names(try await find(world, condition, "&order=username")) == expected)
    }

    @Test("count, skip and limit who is near, and show only whom the asker may read")
    func options() async throws {
        let world = try await world()
        let part = try await find(world, Self.near, "&skip=1&limit=2&count=1")
        #expect(try names(part) == ["yokohama", "osaka"])
        #expect(try part.json()["count"] == 5)
        #expect(try await find(world, Self.near, "&limit=0&count=1").json() == ["results": [], "count": 5])
        #expect(try await find(world, Self.near, "&skip=1001").parseCode == 102)
        #expect(try await find(world, Self.near, "&skip=\(Int.max)").parseCode == 102)
    }

    private static let wrong: [(String, Int)] = [
        (#"{"position":{"$nearSphere":1}}"#, 107), (#"{"username":{"$nearSphere":\#(tokyo)}}"#, 107),
        (#"{"position":{"$nearSphere":{"__type":"GeoPoint","latitude":91,"longitude":0}}}"#, 107),
        (#"{"position":{"$nearSphere":\#(tokyo),"$maxDistance":-1}}"#, 107),
        (#"{"position":{"$nearSphere":\#(tokyo),"$maxDistance":"far"}}"#, 107),
        (#"{"position":{"$maxDistance":1}}"#, 119), (#"{"position":{"$within":{"$box":[\#(tokyo)]}}}"#, 107),
        (#"{"position":{"$within":{"$box":[\#(tokyo),1]}}}"#, 107), (#"{"position":{"$within":7}}"#, 107),
        (#"{"position":{"$geoWithin":{"$centerSphere":[\#(tokyo),1e400]}}}"#, 107),
        (#"{"position":{"$geoWithin":{"$centerSphere":[\#(tokyo),-1]}}}"#, 107),
        (#"{"position":{"$geoWithin":{"$polygon":[\#(tokyo),\#(suva),\#(tokyo)]}}}"#, 119),
        (#"{"$or":[\#(near),\#(near),\#(near),\#(near),\#(near),\#(near)]}"#, 102),
        (#"{"a":{"$inQuery":{"className":"_User","where":\#(near)}}}"#, 102),
    ]

    @Test("are refused where they have not the form, or ask too much", arguments: wrong)
    func refusals(condition: String, code: Int) async throws {
        let answer = try await find(try await ForeignWorld(), condition)
        #expect(answer.parseCode == code, "\(condition): \(answer.text)")
    }
}
